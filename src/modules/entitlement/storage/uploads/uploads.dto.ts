import {
  BooleanField,
  DateTimeField,
  EnumField,
  IntField,
  KindField,
  ListField,
  nested,
  TextField,
  UuidField,
} from '../../../../platform/http/validation/index.js';
import { DEFAULT_MEDIA_TYPE, mediaType } from '../objects/media-type.js';
import { metadata, type Metadata } from '../objects/metadata.js';
import { objectKey } from '../objects/object-key.js';
import { MOST_PARTS } from '../../../../platform/storage/index.js';
import { LARGEST_PART, SMALLEST_PART, USUAL_PART } from './part-layout.js';
import { UPLOAD_STATES, type UploadStatus } from './object-upload.entity.js';

export class BeginUploadRequest {
  @UuidField({})
  project_id!: string;

  @KindField(objectKey(), {
    example: 'backups/2026-11-20.tar',
    description: 'Names joined by `/`; one object of the project has it',
  })
  key!: string;

  @IntField({ min: 1, description: 'Bytes of the whole, at most what the plan allows for a file' })
  size!: number;

  @KindField(mediaType(), { optional: true, default: DEFAULT_MEDIA_TYPE, description: 'Media type of the content' })
  content_type!: string;

  @KindField(metadata(), { optional: true, default: {}, description: 'Texts by name, as the uploader gave them' })
  metadata!: Record<string, unknown>;

  @BooleanField({ optional: true, default: false, description: 'Replaces the content of an object with this key' })
  overwrite!: boolean;

  @IntField({
    min: SMALLEST_PART,
    max: LARGEST_PART,
    optional: true,
    default: USUAL_PART,
    description: `Bytes; made larger where the size would need more than ${MOST_PARTS} parts`,
  })
  part_size!: number;
}

export class UploadedPartResponse {
  @IntField({ min: 1, description: 'From 1' })
  part_number!: number;

  @IntField({ min: 1, description: 'Bytes, exactly so many' })
  size!: number;

  @TextField({ description: 'Takes the bytes by PUT, without credentials, until `expires_at`' })
  url!: string;
}

export class UploadResponse {
  @UuidField({})
  id!: string;

  @UuidField({})
  project_id!: string;

  @TextField({ description: 'Names joined by `/`; one object of the project has it' })
  key!: string;

  @IntField({ min: 1, description: 'Bytes; reserved of the quota' })
  size!: number;

  @TextField({ description: 'Media type of the content' })
  content_type!: string;

  @KindField(metadata(), { description: 'Texts by name, as the uploader gave them' })
  metadata!: Metadata;

  @IntField({ min: 1, description: 'Bytes of each part but the last' })
  part_size!: number;

  @IntField({ min: 1, description: 'How many parts there are' })
  part_count!: number;

  @ListField(nested(() => UploadedPartResponse), { description: 'In their order, with where to send each' })
  parts!: UploadedPartResponse[];

  @EnumField(UPLOAD_STATES, { description: 'Whether it still takes parts' })
  status!: UploadStatus;

  @DateTimeField({})
  created_at!: string;

  @DateTimeField({ description: 'A day later; what is not completed then is given up' })
  expires_at!: string;
}

export class WrittenPartResponse {
  @UuidField({ description: 'The upload' })
  upload_id!: string;

  @IntField({ min: 1, description: 'From 1' })
  part_number!: number;

  @IntField({ min: 1, description: 'Bytes' })
  size!: number;

  @TextField({ description: 'SHA-256 of the part in hex' })
  etag!: string;
}

export class CompletedPartRequest {
  @IntField({ min: 1, description: 'From 1' })
  part_number!: number;

  @TextField({ max: 100, description: 'Of the part, as its upload answered it; quotes around it are taken, too' })
  etag!: string;
}

export class CompleteUploadRequest {
  @ListField(nested(() => CompletedPartRequest), {
    max: MOST_PARTS,
    optional: true,
    description: 'All parts in their order, to be held against what has come',
  })
  parts?: CompletedPartRequest[];
}
