/** Returns the path from which content is served. */
export const contentPath = (objectId: string): string => `/v1/core/objects/${objectId}/content`;

/** Returns the path that receives a part of an upload. */
export const partPath = (uploadId: string, partNumber: number): string =>
  `/v1/core/uploads/${uploadId}/parts/${partNumber}`;

/** Matches the paths of signed URLs, which pages of any origin may use. */
export const SIGNED_PATH = /^\/v1\/core\/(?:objects\/[^/]+\/content|uploads\/[^/]+\/parts\/[^/]+)$/;
