import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { ProjectId } from '../../../access/index.js';
import type { Range } from '../time-ranges.js';

export const DEFAULT_TIME_ZONE = 'UTC';
export const DEFAULT_ANNOTATION_EVENTS = ['deploy.*', 'release.*'] as const;

/** The settings of a project. A project without a row has the defaults. */
@Entity('project_settings')
export class ProjectSettings {
  @PrimaryColumn('uuid', { name: 'project_id', primaryKeyConstraintName: 'pk_project_settings' })
  projectId!: ProjectId;

  /** The IANA name of a time zone. */
  @Column('text')
  timezone!: string;

  @Column('text', { name: 'default_range' })
  defaultRange!: Range;

  /** Property paths whose values are masked before an event is stored. */
  @Column('text', { name: 'redacted_properties', array: true })
  redactedProperties!: string[];

  /**
   * Endpoints that clients treat as noise. The service only stores them: `hide_noise` of the logs uses two fixed
   * endpoints.
   */
  @Column('text', { name: 'noise_endpoints', array: true })
  noiseEndpoints!: string[];

  /**
   * Patterns of event types for clients. The service only stores them. Processes of older versions do not write this
   * column.
   */
  @Column('text', {
    name: 'annotation_events',
    array: true,
    default: () => `'{${DEFAULT_ANNOTATION_EVENTS.join(',')}}'`,
  })
  annotationEvents!: string[];

  @Column('timestamptz', { name: 'updated_at', default: () => 'now()' })
  updatedAt!: Date;
}
