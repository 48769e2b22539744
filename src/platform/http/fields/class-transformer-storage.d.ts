/** Where class-transformer keeps what its decorators say. Its main file does not export it, its typed folder does. */
declare module 'class-transformer/cjs/storage.js' {
  export { defaultMetadataStorage } from 'class-transformer/types/storage.js';
}
