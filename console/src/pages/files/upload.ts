import type { Schemas } from '@operational-events/client';
import { api } from '../../api/client.js';

/** A larger file is uploaded in parts. A single request accepts twice this size. */
const PARTS_FROM = 8 * 1024 * 1024;

/** Called with the uploaded bytes, out of all bytes. */
type Progress = (sent: number, all: number) => void;

interface Target {
  readonly project_id: string;
  readonly key: string;
  readonly file: File;
}

/** @throws when the service refuses the upload, which is then aborted */
export async function upload({ project_id, key, file }: Target, progress: Progress): Promise<void> {
  const type = file.type === '' ? {} : { content_type: file.type };
  if (file.size <= PARTS_FROM) {
    await api.uploadObject({ query: { project_id, key, ...type }, body: file });
    return;
  }
  const begun = await api.createUpload({ body: { project_id, key, size: file.size, ...type } });
  const path = { upload_id: begun.id };
  try {
    await sendParts(begun, file, progress);
    await api.completeUpload({ path, body: {} });
  } catch (error) {
    await api.abortUpload({ path }).catch(() => undefined);
    throw error;
  }
}

/** Uploads the parts to signed URLs, which need no credentials. */
async function sendParts({ parts }: Schemas['UploadResponse'], file: File, progress: Progress): Promise<void> {
  let sent = 0;
  for (const { url, size } of parts) {
    const response = await fetch(url, { method: 'PUT', body: file.slice(sent, sent + size), credentials: 'omit' });
    if (!response.ok) throw new Error(`A part was refused (${response.status})`);
    sent += size;
    progress(sent, file.size);
  }
}
