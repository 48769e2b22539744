/** The metadata of class-transformer's decorators. The package exports it only from its typed folder. */
declare module 'class-transformer/cjs/storage.js' {
  export { defaultMetadataStorage } from 'class-transformer/types/storage.js';
}
