export type { BlobStream } from './blob-stream.js';
export { objectMarkerOf, objectStoreOf } from './configured-object-store.js';
export {
  BlobMissing,
  type ByteRange,
  MOST_PARTS,
  ObjectStore,
  type PartPlace,
  PartsLost,
  SLOTS,
  StoreUnavailable,
  type WrittenPart,
} from './object-store.js';
