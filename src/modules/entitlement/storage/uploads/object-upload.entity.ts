import { Check, Column, Entity, Index, PrimaryColumn, Unique } from 'typeorm';
import type { OrganizationId, ProjectId } from '../../../access/index.js';
import type { Metadata } from '../objects/metadata.js';
import { BYTES } from '../objects/stored-object.entity.js';

export const UPLOAD_STATES = ['open', 'completed'] as const;
export type UploadStatus = (typeof UPLOAD_STATES)[number];

/** An upload of content in parts. */
@Entity('object_uploads')
@Unique('uq_object_uploads_blob_id', ['blobId'])
@Check('ck_object_uploads_status', `status IN ('open', 'completed')`)
@Check('ck_object_uploads_completed', `(status = 'completed') = (object_id IS NOT NULL)`)
@Check('ck_object_uploads_claim', '(claim IS NULL) = (claim_expires_at IS NULL)')
export class ObjectUpload {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'pk_object_uploads' })
  id!: string;

  @Index('ix_object_uploads_project_id')
  @Column('uuid', { name: 'project_id' })
  projectId!: ProjectId;

  @Column('uuid', { name: 'organization_id' })
  organizationId!: OrganizationId;

  @Column('uuid', { name: 'blob_id' })
  blobId!: string;

  @Column({ type: 'text', collation: 'C' })
  key!: string;

  @Column('bigint', { transformer: BYTES })
  size!: number;

  @Column('text', { name: 'content_type' })
  contentType!: string;

  @Column('jsonb')
  metadata!: Metadata;

  @Column('boolean')
  overwrite!: boolean;

  @Column('bigint', { name: 'part_size', transformer: BYTES })
  partSize!: number;

  @Column('integer', { name: 'part_count' })
  partCount!: number;

  @Column('text')
  status!: UploadStatus;

  /** Identifies the request that is completing the upload. */
  @Column('uuid', { nullable: true })
  claim!: string | null;

  @Column('timestamptz', { name: 'claim_expires_at', nullable: true })
  claimExpiresAt!: Date | null;

  /** The time at which the store joined the parts. From then on, no part is accepted. */
  @Column('timestamptz', { name: 'assembled_at', nullable: true })
  assembledAt!: Date | null;

  /** Set when the upload is completed. */
  @Column('uuid', { name: 'object_id', nullable: true })
  objectId!: string | null;

  /** Null when the account was deleted. */
  @Index('ix_object_uploads_created_by')
  @Column('uuid', { name: 'created_by', nullable: true })
  createdBy!: string | null;

  @Column('timestamptz', { name: 'created_at' })
  createdAt!: Date;

  /**
   * The signed URLs of the parts expire at this time too. Until then, repeated requests to complete the upload get the
   * same response.
   */
  @Index('ix_object_uploads_expires_at')
  @Column('timestamptz', { name: 'expires_at' })
  expiresAt!: Date;
}
