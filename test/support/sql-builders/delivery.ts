import { sql } from './sql.js';

/** Creates many channels. Over HTTP each is a request. */
export async function fillChannels(projectId: string, count: number): Promise<void> {
  await sql(
    `INSERT INTO delivery_channels (id, project_id, name, type, enabled, configuration)
     SELECT gen_random_uuid(), $1, 'C', 'webhook', true, '{"url": "https://hooks.example.com/"}'
     FROM generate_series(1, $2::int)`,
    [projectId, count],
  );
}

export interface ProtectedHeaderRow {
  readonly channel_id: string;
  /** The encrypted value. */
  readonly value: string;
  /** The version of the encryption key, not the number of the rotation. */
  readonly key_version: string;
  readonly last_rotated_by: string | null;
}

/** Returns the protected headers of a project as they are stored. Routes mask their values. */
export async function protectedHeaders(projectId: string): Promise<ProtectedHeaderRow[]> {
  return sql('SELECT * FROM delivery_protected_headers WHERE project_id = $1 ORDER BY id', [projectId]);
}

/**
 * Copies the encrypted values of headers to another channel, as an attacker with access to the database but without
 * keys could.
 */
export async function copyProtectedHeaders(fromChannelId: string, toChannelId: string): Promise<void> {
  await sql(
    `UPDATE delivery_protected_headers t SET value = s.value FROM delivery_protected_headers s
     WHERE t.channel_id = $1 AND s.channel_id = $2`,
    [toChannelId, fromChannelId],
  );
}

/** Makes the scheduled retry of an attempt due. Over HTTP that takes the delay of its retry policy. */
export async function makeDue(attemptId: string): Promise<void> {
  await sql('UPDATE delivery_attempts SET due_at = now() WHERE id = $1 AND due_at IS NOT NULL', [attemptId]);
}

interface ChannelRow {
  readonly id: string;
  /** The encrypted secrets. */
  readonly signing_secret: string | null;
  readonly previous_signing_secret: string | null;
  readonly previous_signing_secret_until: string | null;
}

/** Returns the channels of a project, or one of them, as they are stored. */
export async function storedChannels(projectId: string, id?: string): Promise<ChannelRow[]> {
  return sql('SELECT * FROM delivery_channels WHERE project_id = $1 AND id = coalesce($2, id)', [
    projectId,
    id ?? null,
  ]);
}

/** Ends the time in which the previous signing secret of a channel signs, which takes a day over HTTP. */
export async function endRotation(channelId: string): Promise<void> {
  await sql(`UPDATE delivery_channels SET previous_signing_secret_until = now() - interval '1 hour' WHERE id = $1`, [
    channelId,
  ]);
}

/** Makes a channel one that was created before channels were signed. */
export async function removeSigningSecret(channelId: string): Promise<void> {
  await sql('UPDATE delivery_channels SET signing_secret = NULL WHERE id = $1', [channelId]);
}

/** Copies the encrypted signing secret to another channel, as an attacker with access to the database could. */
export async function copySigningSecret(fromChannelId: string, toChannelId: string): Promise<void> {
  await sql(
    `UPDATE delivery_channels t SET signing_secret = s.signing_secret FROM delivery_channels s
     WHERE t.id = $2 AND s.id = $1`,
    [fromChannelId, toChannelId],
  );
}
