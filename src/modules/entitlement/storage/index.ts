export { objectStorageScrubJob } from './sweep/stranger-count.processor.js';
export { isSigned, SignedRoutesCors } from './signed/signed-routes-cors.middleware.js';
export { ObjectExists } from './storage.errors.js';
export { ObjectStorageModule } from './storage.module.js';
