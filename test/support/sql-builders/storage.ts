import { sql } from './sql.js';

/** The contents that the object store has of a project, the oldest first. No route shows them. */
export async function blobs(projectId: string): Promise<{ id: string; state: string }[]> {
  return sql('SELECT id, state FROM stored_blobs WHERE project_id = $1 ORDER BY created_at', [projectId]);
}

/** How many contents of a project are being written. No route shows it. */
export async function writingBlobs(projectId: string): Promise<number> {
  return (await blobs(projectId)).filter(({ state }) => state === 'writing').length;
}

/** Lets maintenance remove contents that nobody has any more. Over HTTP they wait for up to 15 minutes. */
export async function makeBlobsDue(projectId: string): Promise<void> {
  await sql('UPDATE stored_blobs SET due_at = now() WHERE project_id = $1', [projectId]);
}

/** What an organization stores in all. The route shows it to members of a project that is not deleted. */
export async function storageTotals(
  organizationId: string,
): Promise<{ stored: string; reserved: string; objects: string }[]> {
  return sql('SELECT stored, reserved, objects FROM storage_totals WHERE organization_id = $1', [organizationId]);
}

/** Has an organization store four times as much, as one does after a downgrade. Over HTTP that takes a payment. */
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

/** The content that an upload is going to become, which names its files in the store. No route shows it. */
export async function blobOfUpload(uploadId: string): Promise<string> {
  const [row] = await sql<{ id: string }>('SELECT blob_id AS id FROM object_uploads WHERE id = $1', [uploadId]);
  if (row === undefined) throw new Error(`there is no upload ${uploadId}`);
  return row.id;
}

/** Lets an upload expire now. Over HTTP it lives for a day. */
export async function expireUpload(uploadId: string): Promise<void> {
  await sql('UPDATE object_uploads SET expires_at = now() WHERE id = $1', [uploadId]);
}

/** How many parts of an upload are being written. No route shows it. */
export async function writingParts(uploadId: string): Promise<number> {
  const rows = await sql(`SELECT 1 FROM object_upload_parts WHERE upload_id = $1 AND state = 'writing'`, [uploadId]);
  return rows.length;
}

/** Leaves the first part of an upload as a process leaves it that died while it wrote. No request dies so. */
export async function leavePartOfDeadWriter(uploadId: string): Promise<void> {
  await sql(
    `INSERT INTO object_upload_parts (upload_id, part_number, slot, state, writer, lease_expires_at)
     VALUES ($1, 1, 0, 'writing', gen_random_uuid(), now() - interval '1 minute')`,
    [uploadId],
  );
}

/** Leaves an upload as a process leaves it that died while it completed the upload. No request dies so. */
export async function leaveDeadCompletion(uploadId: string): Promise<void> {
  await sql(
    `UPDATE object_uploads SET claim = gen_random_uuid(), claim_expires_at = now() - interval '1 second' WHERE id = $1`,
    [uploadId],
  );
}
