import { Column, Entity, Index, PrimaryColumn, Unique } from 'typeorm';
import type { OrganizationId, ProjectId } from '../../../access/index.js';
import type { Metadata } from './metadata.js';

/** Converts the text of a size to a number. Numbers are exact up to 8 PiB. */
export const BYTES = { to: (bytes: number): number => bytes, from: (text: string): number => Number(text) };

/** A file of a project under a key, with its present content. */
@Entity('stored_objects')
@Unique('uq_stored_objects_project_id_key', ['projectId', 'key'])
@Unique('uq_stored_objects_blob_id', ['blobId'])
@Index('ix_stored_objects_key_text', { synchronize: false })
export class StoredObject {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'pk_stored_objects' })
  id!: string;

  @Column('uuid', { name: 'project_id' })
  projectId!: ProjectId;

  @Column('uuid', { name: 'organization_id' })
  organizationId!: OrganizationId;

  /** Keys sort in the order of bytes. */
  @Column({ type: 'text', collation: 'C' })
  key!: string;

  @Column('uuid', { name: 'blob_id' })
  blobId!: string;

  @Column('bigint', { transformer: BYTES })
  size!: number;

  @Column('text', { name: 'content_type' })
  contentType!: string;

  /** Identifies the content, without quotes. */
  @Column('text')
  etag!: string;

  /** Null when the content was uploaded in parts. */
  @Column('text', { nullable: true })
  sha256!: string | null;

  @Column('jsonb')
  metadata!: Metadata;

  /** Increases by one with each new content. */
  @Column('integer')
  version!: number;

  @Column('timestamptz', { name: 'content_at' })
  contentAt!: Date;

  /** Null when the account was deleted. */
  @Index('ix_stored_objects_created_by')
  @Column('uuid', { name: 'created_by', nullable: true })
  createdBy!: string | null;

  @Column('timestamptz', { name: 'created_at' })
  createdAt!: Date;

  /** The time of the last change of content, key or metadata. */
  @Column('timestamptz', { name: 'updated_at' })
  updatedAt!: Date;
}
