import { Injectable } from '@nestjs/common';
import { projectOf, type ProjectScope } from '../../../access/index.js';
import { Database, type Db } from '../../../../platform/database/database.js';
import { ObjectNotFound } from '../storage.errors.js';
import { endOfPrefix } from './object-key.js';
import type { Metadata } from './metadata.js';
import { StoredObject } from './stored-object.entity.js';

/** Content in the store, with its size and digests. */
export interface NewContent {
  readonly blobId: string;
  readonly size: number;
  readonly etag: string;
  readonly sha256: string | null;
}

export interface NewObject extends NewContent {
  readonly id: string;
  readonly key: string;
  readonly contentType: string;
  readonly metadata: Metadata;
  readonly createdBy: string;
}

export interface PageRequest {
  readonly prefix: string;
  /** The end of the previous page: a key, or a common prefix including all keys under it. */
  readonly after: string | null;
  readonly limit: number;
}

/** An object, or the common prefix of several objects. */
export type Entry = { readonly prefix: string } | { readonly object: StoredObject };

const COLUMNS = `o.id, o.project_id AS "projectId", o.organization_id AS "organizationId", o.key, o.blob_id AS "blobId",
  o.size::float8 AS size, o.content_type AS "contentType", o.etag, o.sha256, o.metadata, o.version,
  o.content_at AS "contentAt", o.created_by AS "createdBy", o.created_at AS "createdAt", o.updated_at AS "updatedAt"`;

@Injectable()
export class ObjectsRepository {
  constructor(private readonly database: Database) {}

  find({ projectId }: ProjectScope, id: string, db?: Db): Promise<StoredObject | null> {
    return this.database.repository(StoredObject, db).findOneBy({ projectId, id });
  }

  /** Returns an object of a project that is not deleted, for a request with a signed URL. */
  async findSigned(id: string): Promise<StoredObject | null> {
    const [row] = await this.database.rows<StoredObject>(
      `SELECT ${COLUMNS} FROM stored_objects o JOIN projects p ON p.id = o.project_id /* tenant: the signature names it */
       WHERE o.id = $1 AND p.deleted_at IS NULL`,
      [id],
    );
    return row ?? null;
  }

  /** Locks the object's row until the transaction ends. */
  lock({ projectId }: ProjectScope, id: string, tx: Db): Promise<StoredObject | null> {
    return this.database
      .repository(StoredObject, tx)
      .findOne({ where: { projectId, id }, lock: { mode: 'pessimistic_write' } });
  }

  /**
   * Locks as {@link lock} does, together with the object that has the new key. The rows are locked in one order, so
   * that requests that swap keys do not deadlock.
   */
  async lockToRename({ projectId }: ProjectScope, id: string, key: string, tx: Db): Promise<StoredObject[]> {
    return this.database.rows<StoredObject>(
      `SELECT ${COLUMNS} FROM stored_objects o WHERE o.project_id = $1 AND (o.id = $2 OR o.key = $3)
       ORDER BY o.id FOR UPDATE`,
      [projectId, id, key],
      tx,
    );
  }

  findByKey({ projectId }: ProjectScope, key: string, db?: Db): Promise<StoredObject | null> {
    return this.database.repository(StoredObject, db).findOneBy({ projectId, key });
  }

  /** Locks as {@link lock} does, by key. */
  lockByKey({ projectId }: ProjectScope, key: string, tx: Db): Promise<StoredObject | null> {
    return this.database
      .repository(StoredObject, tx)
      .findOne({ where: { projectId, key }, lock: { mode: 'pessimistic_write' } });
  }

  /** @returns null when the key was taken meanwhile */
  async insert(scope: ProjectScope, object: NewObject, tx: Db): Promise<StoredObject | null> {
    const [row] = await this.database.rows<StoredObject>(
      `INSERT INTO stored_objects AS o (id, project_id, organization_id, key, blob_id, size, content_type, etag, sha256,
         metadata, version, content_at, created_by, created_at, updated_at)
       SELECT $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, 1, at, $11, at, at
       FROM date_trunc('milliseconds', clock_timestamp()) AS at
       ON CONFLICT (project_id, key) DO NOTHING
       RETURNING ${COLUMNS}`,
      [
        object.id,
        scope.projectId,
        scope.organizationId,
        object.key,
        object.blobId,
        object.size,
        object.contentType,
        object.etag,
        object.sha256,
        JSON.stringify(object.metadata),
        object.createdBy,
      ],
      tx,
    );
    return row ?? null;
  }

  /** Stores new content with its type and metadata. Id, creator and creation time stay. */
  async replace(
    { projectId }: ProjectScope,
    id: string,
    content: NewContent & Pick<NewObject, 'contentType' | 'metadata'>,
    tx: Db,
  ): Promise<StoredObject> {
    const [row] = await this.database.rows<StoredObject>(
      `UPDATE stored_objects o
       SET blob_id = $3, size = $4, etag = $5, sha256 = $6, content_type = $7, metadata = $8, version = o.version + 1,
           content_at = at, updated_at = at
       FROM date_trunc('milliseconds', clock_timestamp()) AS at
       WHERE o.project_id = $1 AND o.id = $2
       RETURNING ${COLUMNS}`,
      [
        projectId,
        id,
        content.blobId,
        content.size,
        content.etag,
        content.sha256,
        content.contentType,
        JSON.stringify(content.metadata),
      ],
      tx,
    );
    if (row === undefined) throw new Error('an object that is locked has a row');
    return row;
  }

  /** @throws ObjectExists by the unique key */
  async update(
    { projectId }: ProjectScope,
    id: string,
    change: Partial<Pick<StoredObject, 'key' | 'contentType' | 'metadata'>>,
    tx: Db,
  ): Promise<StoredObject> {
    const [row] = await this.database.rows<StoredObject>(
      `UPDATE stored_objects o
       SET key = coalesce($3, o.key), content_type = coalesce($4, o.content_type), metadata = coalesce($5, o.metadata),
           updated_at = date_trunc('milliseconds', clock_timestamp())
       WHERE o.project_id = $1 AND o.id = $2
       RETURNING ${COLUMNS}`,
      [
        projectId,
        id,
        change.key ?? null,
        change.contentType ?? null,
        change.metadata === undefined ? null : JSON.stringify(change.metadata),
      ],
      tx,
    );
    if (row === undefined) throw new Error('an object that is locked has a row');
    return row;
  }

  async remove({ projectId }: ProjectScope, id: string, tx: Db): Promise<void> {
    await this.database.repository(StoredObject, tx).delete({ projectId, id });
  }

  /** Returns objects in the order of their keys, at most one more than a page holds. */
  async page({ projectId }: ProjectScope, { prefix, after, limit }: PageRequest): Promise<Entry[]> {
    const rows = await this.database.rows<StoredObject>(
      `SELECT ${COLUMNS} FROM stored_objects o
       WHERE o.project_id = $1 AND o.key >= $2 AND ($3::text IS NULL OR o.key < $3) AND ($4::text IS NULL OR o.key > $4)
       ORDER BY o.key LIMIT $5`,
      [projectId, prefix, endOfPrefix(prefix), after, limit + 1],
    );
    return rows.map((object) => ({ object }));
  }

  /**
   * Returns the same as {@link page}, but groups objects whose key has another `/` after the prefix under their common
   * prefix. Each step is one lookup in the index, however many objects a common prefix stands for.
   */
  async tree({ projectId }: ProjectScope, { prefix, after, limit }: PageRequest): Promise<Entry[]> {
    const next = (from: string): string => `
      SELECT o.key, nullif(position('/' in substr(o.key, length($2) + 1)), 0) AS slash FROM stored_objects o
      WHERE o.project_id = $1 AND ${from} AND ($3::text IS NULL OR o.key < $3) ORDER BY o.key LIMIT 1`;
    // "0" is the character after "/", so it is the least above every key with that prefix.
    const rows = await this.database.rows<{ prefix: string | null } & StoredObject>(
      `WITH RECURSIVE steps AS (
         (SELECT key, left(key, (length($2) + slash)::int) AS prefix, 1 AS step
          FROM (${next('o.key >= $2 AND o.key >= $4 AND ($5 OR o.key > $4)')}) first)
         UNION ALL
         SELECT found.key, left(found.key, (length($2) + found.slash)::int), s.step + 1
         FROM steps s CROSS JOIN LATERAL (
           ${next(`o.key >= CASE WHEN s.prefix IS NULL THEN s.key ELSE left(s.prefix, -1) || '0' END
                   AND (s.prefix IS NOT NULL OR o.key > s.key)`)}) found
         WHERE s.step <= $6)
       SELECT s.prefix, ${COLUMNS} FROM steps s
       JOIN stored_objects o ON o.project_id = $1 AND o.key = s.key
       ORDER BY s.step`,
      [projectId, prefix, endOfPrefix(prefix), startOf(prefix, after), after === null || after.endsWith('/'), limit],
    );
    return rows.map(({ prefix: common, ...object }) => (common === null ? { object } : { prefix: common }));
  }

  /** Removes some objects of a deleted project. @returns the removed objects, whose blobs must be released */
  async removeSome({ projectId }: Pick<ProjectScope, 'projectId'>, limit: number, tx: Db): Promise<StoredObject[]> {
    return this.database.rows<StoredObject>(
      `DELETE FROM stored_objects o
       WHERE o.project_id = $1
         AND o.id IN (SELECT id FROM stored_objects WHERE project_id = $1 LIMIT $2 FOR UPDATE SKIP LOCKED)
       RETURNING ${COLUMNS}`,
      [projectId, limit],
      tx,
    );
  }

  /** Returns whether any object or upload of a deleted project is left. */
  async isKept({ projectId }: Pick<ProjectScope, 'projectId'>): Promise<boolean> {
    const [row] = await this.database.rows<{ kept: boolean }>(
      `SELECT EXISTS (SELECT FROM stored_objects WHERE project_id = $1)
           OR EXISTS (SELECT FROM object_uploads WHERE project_id = $1) AS kept`,
      [projectId],
    );
    return row?.kept ?? false;
  }
}

/** Returns where a page starts. After a common prefix, everything under that prefix is left out. */
function startOf(prefix: string, after: string | null): string {
  if (after === null) return prefix;
  return after.endsWith('/') ? `${after.slice(0, -1)}0` : after;
}

export class ProjectOfObject extends projectOf('object_id', StoredObject, ObjectNotFound) {}
