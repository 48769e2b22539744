import {
  BooleanField,
  DateTimeField,
  EnumField,
  IntField,
  KindField,
  ListField,
  nested,
  text,
  TextField,
  UuidField,
} from '../../../../platform/http/validation/index.js';
import { mediaType } from './media-type.js';
import { metadata, type Metadata } from './metadata.js';
import { MOST_KEY_BYTES, objectKey } from './object-key.js';
import type { StoredObject } from './stored-object.entity.js';

const KEY = {
  description: 'Names joined by `/`; compared byte by byte, neither folded nor composed',
  example: 'reports/2026-11.csv',
};

export class ListObjectsQuery {
  @UuidField({})
  project_id!: string;

  @TextField({
    optional: true,
    default: '',
    description: `Only keys that begin so; at most ${MOST_KEY_BYTES} bytes`,
    check: (prefix) =>
      Buffer.byteLength(prefix) > MOST_KEY_BYTES ? `prefix must have at most ${MOST_KEY_BYTES} bytes` : undefined,
  })
  prefix!: string;

  @EnumField(['/'], {
    optional: true,
    description: 'Keys that go on behind the next `/` are not items: their common beginnings are `prefixes`',
  })
  delimiter?: '/';

  @IntField({ min: 1, max: 1_000, optional: true, default: 100, description: 'Items and prefixes together' })
  limit!: number;

  @TextField({ optional: true, description: 'The `next_after` of the page before' })
  after?: string;
}

export class UploadObjectQuery {
  @UuidField({})
  project_id!: string;

  @KindField(objectKey(), { ...KEY, optional: true, description: `${KEY.description}. A form may bring it instead` })
  key?: string;

  @KindField(mediaType(), { optional: true, description: 'Wins over what the body says' })
  content_type?: string;

  @BooleanField({ optional: true, default: false, description: 'Replaces the content of an object with this key' })
  overwrite!: boolean;
}

export class UploadHeaders {
  @TextField({ name: 'content-md5', optional: true, description: 'Base64; checked against the content' })
  contentMd5?: string;

  @TextField({
    name: 'content-digest',
    optional: true,
    description: 'RFC 9530, `sha-256`; checked against the content',
  })
  contentDigest?: string;

  @TextField({ name: 'if-match', optional: true, description: 'Overwrites only this content; `*` is any' })
  ifMatch?: string;

  @TextField({ name: 'if-none-match', optional: true, description: '`*`: only where the key is free' })
  ifNoneMatch?: string;
}

export class IfMatchHeader {
  @TextField({ name: 'if-match', optional: true, description: 'Only while this is the content; `*` is any' })
  ifMatch?: string;
}

export class ObjectLinkQuery {
  @IntField({ min: 1, max: 86_400, optional: true, default: 300, description: 'Seconds the address is good for' })
  expires_in!: number;

  @EnumField(['attachment', 'inline'], {
    optional: true,
    default: 'attachment',
    description: 'Active content is an attachment whatever is asked for',
  })
  disposition!: 'attachment' | 'inline';
}

export class ChangeObjectRequest {
  @KindField(objectKey(), { ...KEY, optional: true })
  key?: string;

  @KindField(mediaType(), { optional: true, description: 'Media type of the content' })
  content_type?: string;

  @KindField(metadata(), { optional: true, description: 'Takes the place of all there was' })
  metadata?: Record<string, unknown>;
}

export class ObjectResponse {
  @UuidField({})
  id!: string;

  @UuidField({})
  project_id!: string;

  @TextField({ example: KEY.example, description: 'Names joined by `/`; one object of the project has it' })
  key!: string;

  @IntField({ min: 0, description: 'Bytes' })
  size!: number;

  @TextField({ description: 'As the uploader said: contents are never looked at', example: 'text/csv' })
  content_type!: string;

  @TextField({
    description:
      'Names the content, without quotes: its SHA-256 in hex; of parts the SHA-256 of their digests, `-` and their number',
  })
  etag!: string;

  @TextField({ nullable: true, description: 'In hex; null when the content came in parts' })
  sha256!: string | null;

  @KindField(metadata(), { description: 'Texts by name, as the uploader gave them' })
  metadata!: Metadata;

  @IntField({ min: 1, description: 'One more with each new content' })
  version!: number;

  @UuidField({ nullable: true, description: 'Null: that account is gone' })
  created_by!: string | null;

  @DateTimeField({})
  created_at!: string;

  @DateTimeField({ description: 'Of content, key or metadata' })
  updated_at!: string;
}

export class LinkedObjectResponse extends ObjectResponse {
  @TextField({
    nullable: true,
    description:
      'Serves the present content without credentials until it ends; null while credential encryption is switched off',
  })
  download_url!: string | null;

  @DateTimeField({ nullable: true, description: 'Until then the address is good; null where there is none' })
  download_url_expires_at!: string | null;
}

export class ObjectPageResponse {
  @ListField(nested(() => ObjectResponse), { description: 'In the order of the bytes of their keys' })
  items!: ObjectResponse[];

  @ListField(text(), { description: 'Common beginnings up to and with the delimiter; empty without one' })
  prefixes!: string[];

  @TextField({ nullable: true, description: 'The `after` of the next page; null: this is the last' })
  next_after!: string | null;
}

export function objectResponse(object: StoredObject): ObjectResponse {
  return {
    id: object.id,
    project_id: object.projectId,
    key: object.key,
    size: object.size,
    content_type: object.contentType,
    etag: object.etag,
    sha256: object.sha256,
    metadata: object.metadata,
    version: object.version,
    created_by: object.createdBy,
    created_at: object.createdAt.toISOString(),
    updated_at: object.updatedAt.toISOString(),
  };
}
