import { sql } from './sql.js';

/** Returns the blobs of a project in the object store, the oldest first. No route shows them. */
export async function blobs(projectId: string): Promise<{ id: string; state: string }[]> {
  return sql('SELECT id, state FROM stored_blobs WHERE project_id = $1 ORDER BY created_at', [projectId]);
}

/** Counts the blobs of a project that are being written. No route shows the number. */
export async function writingBlobs(projectId: string): Promise<number> {
  return (await blobs(projectId)).filter(({ state }) => state === 'writing').length;
}

/** Makes maintenance remove unused blobs at once. Otherwise they wait for up to 15 minutes. */
export async function makeBlobsDue(projectId: string): Promise<void> {
  await sql('UPDATE stored_blobs SET due_at = now() WHERE project_id = $1', [projectId]);
}

/**
 * Returns the total storage of an organization. The route shows it only to members of a project that is not deleted.
 */
export async function storageTotals(
  organizationId: string,
): Promise<{ stored: string; reserved: string; objects: string }[]> {
  return sql('SELECT stored, reserved, objects FROM storage_totals WHERE organization_id = $1', [organizationId]);
}

/** Multiplies the stored bytes of an organization by four, as after a downgrade. Over HTTP that takes a payment. */
export async function quadrupleStoredBytes(organizationId: string): Promise<void> {
  await sql('UPDATE storage_totals SET stored = stored * 4 WHERE organization_id = $1', [organizationId]);
}

/** Sets the billing status of an organization. Over HTTP it follows from payments. */
export async function setBillingStatus(
  organizationId: string,
  status: 'active' | 'blocked' | 'canceled',
): Promise<void> {
  await sql('UPDATE organizations SET billing_status = $2 WHERE id = $1', [organizationId, status]);
}

/** Returns the blob that an upload will become. Its id is part of the file names in the store. No route shows it. */
export async function blobOfUpload(uploadId: string): Promise<string> {
  const [row] = await sql<{ id: string }>('SELECT blob_id AS id FROM object_uploads WHERE id = $1', [uploadId]);
  if (row === undefined) throw new Error(`there is no upload ${uploadId}`);
  return row.id;
}

/** Makes an upload expire now. Over HTTP it lives for a day. */
export async function expireUpload(uploadId: string): Promise<void> {
  await sql('UPDATE object_uploads SET expires_at = now() WHERE id = $1', [uploadId]);
}

/** Counts the parts of an upload that are being written. No route shows the number. */
export async function writingParts(uploadId: string): Promise<number> {
  const rows = await sql(`SELECT 1 FROM object_upload_parts WHERE upload_id = $1 AND state = 'writing'`, [uploadId]);
  return rows.length;
}

/** Leaves the first part of an upload in the state of a process that died while it wrote. No request can cause that. */
export async function leavePartOfDeadWriter(uploadId: string): Promise<void> {
  await sql(
    `INSERT INTO object_upload_parts (upload_id, part_number, slot, state, writer, lease_expires_at)
     VALUES ($1, 1, 0, 'writing', gen_random_uuid(), now() - interval '1 minute')`,
    [uploadId],
  );
}

/** Leaves an upload in the state of a process that died while it completed the upload. No request can cause that. */
export async function leaveDeadCompletion(uploadId: string): Promise<void> {
  await sql(
    `UPDATE object_uploads SET claim = gen_random_uuid(), claim_expires_at = now() - interval '1 second' WHERE id = $1`,
    [uploadId],
  );
}
