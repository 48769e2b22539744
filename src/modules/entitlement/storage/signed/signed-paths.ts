/** Where content is served. */
export const contentPath = (objectId: string): string => `/v1/core/objects/${objectId}/content`;

/** Where a part of an upload is taken. */
export const partPath = (uploadId: string, partNumber: number): string =>
  `/v1/core/uploads/${uploadId}/parts/${partNumber}`;

/** Paths of signed addresses, which pages of any origin may use. */
export const SIGNED_PATH = /^\/v1\/core\/(?:objects\/[^/]+\/content|uploads\/[^/]+\/parts\/[^/]+)$/;
