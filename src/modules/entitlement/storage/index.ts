export { objectStorageScrubJob } from './sweep/stranger-count.processor.js';
export { isSigned, SignedRoutesCors } from './signed/signed-routes-cors.middleware.js';
export { ObjectExists } from './storage.errors.js';
export { ObjectRemovalModule } from './object-removal.module.js';
export { ObjectStorageModule } from './storage.module.js';
