import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Objects, their uploads in parts, and what both take of an organization's storage and bandwidth. The row of a blob is
 * there before its first byte and gone after its last one; it outlives the project, so it has no foreign key.
 */
export class ObjectStorage1795400000000 implements MigrationInterface {
  readonly name = 'ObjectStorage1795400000000';

  async up(q: QueryRunner): Promise<void> {
    await q.query(`
      CREATE TABLE stored_blobs (
        id uuid CONSTRAINT pk_stored_blobs PRIMARY KEY,
        organization_id uuid NOT NULL,
        project_id uuid NOT NULL,
        size bigint NOT NULL CONSTRAINT ck_stored_blobs_size CHECK (size >= 0),
        state text NOT NULL CONSTRAINT ck_stored_blobs_state CHECK (state IN ('writing', 'live', 'doomed')),
        driver text NOT NULL,
        upload_token text,
        due_at timestamptz,
        created_at timestamptz NOT NULL DEFAULT now(),
        CONSTRAINT ck_stored_blobs_due CHECK ((state = 'live') = (due_at IS NULL))
      )`);
    await q.query('CREATE INDEX ix_stored_blobs_due_at ON stored_blobs (due_at) WHERE due_at IS NOT NULL');
    await q.query('CREATE INDEX ix_stored_blobs_project_id ON stored_blobs (project_id)');

    await q.query(`
      CREATE TABLE stored_objects (
        id uuid CONSTRAINT pk_stored_objects PRIMARY KEY,
        project_id uuid NOT NULL CONSTRAINT fk_stored_objects_project_id REFERENCES projects (id),
        organization_id uuid NOT NULL,
        key text COLLATE "C" NOT NULL,
        blob_id uuid NOT NULL CONSTRAINT fk_stored_objects_blob_id REFERENCES stored_blobs (id),
        size bigint NOT NULL,
        content_type text NOT NULL,
        etag text NOT NULL,
        sha256 text,
        metadata jsonb NOT NULL,
        version integer NOT NULL,
        content_at timestamptz NOT NULL,
        created_by uuid CONSTRAINT fk_stored_objects_created_by REFERENCES users (id) ON DELETE SET NULL,
        created_at timestamptz NOT NULL,
        updated_at timestamptz NOT NULL,
        CONSTRAINT uq_stored_objects_project_id_key UNIQUE (project_id, key),
        CONSTRAINT uq_stored_objects_blob_id UNIQUE (blob_id)
      )`);
    await q.query('CREATE INDEX ix_stored_objects_created_by ON stored_objects (created_by)');

    await q.query(`
      CREATE TABLE object_uploads (
        id uuid CONSTRAINT pk_object_uploads PRIMARY KEY,
        project_id uuid NOT NULL CONSTRAINT fk_object_uploads_project_id REFERENCES projects (id),
        organization_id uuid NOT NULL,
        blob_id uuid NOT NULL,
        key text COLLATE "C" NOT NULL,
        size bigint NOT NULL,
        content_type text NOT NULL,
        metadata jsonb NOT NULL,
        overwrite boolean NOT NULL,
        part_size bigint NOT NULL,
        part_count integer NOT NULL,
        status text NOT NULL CONSTRAINT ck_object_uploads_status CHECK (status IN ('open', 'completed')),
        claim uuid,
        claim_expires_at timestamptz,
        assembled_at timestamptz,
        object_id uuid,
        created_by uuid CONSTRAINT fk_object_uploads_created_by REFERENCES users (id) ON DELETE SET NULL,
        created_at timestamptz NOT NULL,
        expires_at timestamptz NOT NULL,
        CONSTRAINT uq_object_uploads_blob_id UNIQUE (blob_id),
        CONSTRAINT ck_object_uploads_completed CHECK ((status = 'completed') = (object_id IS NOT NULL)),
        CONSTRAINT ck_object_uploads_claim CHECK ((claim IS NULL) = (claim_expires_at IS NULL))
      )`);
    await q.query('CREATE INDEX ix_object_uploads_project_id ON object_uploads (project_id)');
    await q.query('CREATE INDEX ix_object_uploads_expires_at ON object_uploads (expires_at)');
    await q.query('CREATE INDEX ix_object_uploads_created_by ON object_uploads (created_by)');

    await q.query(`
      CREATE TABLE object_upload_parts (
        upload_id uuid NOT NULL
          CONSTRAINT fk_object_upload_parts_upload_id REFERENCES object_uploads (id) ON DELETE CASCADE,
        part_number integer NOT NULL,
        slot smallint NOT NULL CONSTRAINT ck_object_upload_parts_slot CHECK (slot BETWEEN 0 AND 9),
        state text NOT NULL CONSTRAINT ck_object_upload_parts_state CHECK (state IN ('writing', 'complete')),
        writer uuid NOT NULL,
        lease_expires_at timestamptz NOT NULL,
        sha256 text,
        token text,
        CONSTRAINT pk_object_upload_parts PRIMARY KEY (upload_id, part_number, slot),
        CONSTRAINT ck_object_upload_parts_complete CHECK (state = 'writing' OR (sha256 IS NOT NULL AND token IS NOT NULL))
      )`);
    await q.query(`
      CREATE UNIQUE INDEX uq_object_upload_parts_complete ON object_upload_parts (upload_id, part_number)
      WHERE state = 'complete'`);

    await q.query(`
      CREATE TABLE storage_totals (
        organization_id uuid CONSTRAINT pk_storage_totals PRIMARY KEY
          CONSTRAINT fk_storage_totals_organization_id REFERENCES organizations (id) ON DELETE CASCADE,
        stored bigint NOT NULL DEFAULT 0 CONSTRAINT ck_storage_totals_stored CHECK (stored >= 0),
        reserved bigint NOT NULL DEFAULT 0 CONSTRAINT ck_storage_totals_reserved CHECK (reserved >= 0),
        objects bigint NOT NULL DEFAULT 0 CONSTRAINT ck_storage_totals_objects CHECK (objects >= 0)
      )`);
    await q.query(`
      CREATE TABLE project_storage_totals (
        project_id uuid CONSTRAINT pk_project_storage_totals PRIMARY KEY
          CONSTRAINT fk_project_storage_totals_project_id REFERENCES projects (id) ON DELETE CASCADE,
        stored bigint NOT NULL DEFAULT 0 CONSTRAINT ck_project_storage_totals_stored CHECK (stored >= 0),
        objects bigint NOT NULL DEFAULT 0 CONSTRAINT ck_project_storage_totals_objects CHECK (objects >= 0)
      )`);
    await q.query(`
      CREATE TABLE storage_months (
        organization_id uuid NOT NULL
          CONSTRAINT fk_storage_months_organization_id REFERENCES organizations (id) ON DELETE CASCADE,
        month date NOT NULL,
        sent bigint NOT NULL DEFAULT 0 CONSTRAINT ck_storage_months_sent CHECK (sent >= 0),
        CONSTRAINT pk_storage_months PRIMARY KEY (organization_id, month)
      )`);
    await q.query(`
      CREATE TABLE project_storage_months (
        project_id uuid NOT NULL
          CONSTRAINT fk_project_storage_months_project_id REFERENCES projects (id) ON DELETE CASCADE,
        month date NOT NULL,
        sent bigint NOT NULL DEFAULT 0 CONSTRAINT ck_project_storage_months_sent CHECK (sent >= 0),
        CONSTRAINT pk_project_storage_months PRIMARY KEY (project_id, month)
      )`);
    await q.query(`
      CREATE TABLE storage_overage_days (
        organization_id uuid NOT NULL
          CONSTRAINT fk_storage_overage_days_organization_id REFERENCES organizations (id) ON DELETE CASCADE,
        day date NOT NULL,
        storage_bytes bigint NOT NULL DEFAULT 0,
        bandwidth_bytes bigint NOT NULL DEFAULT 0,
        storage_reported_at timestamptz,
        bandwidth_reported_at timestamptz,
        CONSTRAINT pk_storage_overage_days PRIMARY KEY (organization_id, day)
      )`);
    await q.query(`
      CREATE INDEX ix_storage_overage_days_day ON storage_overage_days (day)
      WHERE storage_reported_at IS NULL OR bandwidth_reported_at IS NULL`);
  }

  async down(q: QueryRunner): Promise<void> {
    for (const table of [
      'storage_overage_days',
      'project_storage_months',
      'storage_months',
      'project_storage_totals',
      'storage_totals',
      'object_upload_parts',
      'object_uploads',
      'stored_objects',
      'stored_blobs',
    ])
      await q.query(`DROP TABLE ${table}`);
  }
}
