import { DomainError, domainError } from '../../../platform/http/domain-error.js';
import { EnumField, int, IntField, ListField, TextField } from '../../../platform/http/validation/index.js';

type Headers = Readonly<Record<string, string>>;

export class ObjectNotFound extends domainError(404, 'Object not found') {}
export class ObjectExists extends domainError(409, 'Object already exists') {}
export class PreconditionFailed extends domainError(412, 'Precondition Failed') {}
export class FileTooLarge extends domainError(413, 'File exceeds the maximum size of the plan') {}
export class InvalidSignedUrl extends domainError(403, 'Invalid or expired signature') {}
export class SignedUrlsUnavailable extends domainError(503, 'Signed URLs are unavailable') {}
export class UploadNotFound extends domainError(404, 'Upload not found') {}
export class UploadCompleted extends domainError(409, 'Upload is already completed') {}
export class TooManyUploads extends domainError(409, 'Project has too many open uploads') {}

export class ObjectStorageUnavailable extends domainError(503, 'Object storage is unavailable') {
  override readonly headers = { 'Retry-After': '5' };
  override readonly logLevel = 'warn' as const;
}

export class StorageQuotaExceeded extends domainError(403, 'Storage quota exceeded') {
  constructor(override readonly headers: Headers = {}) {
    super();
  }
}

export class BandwidthExceeded extends domainError(403, 'Download bandwidth exceeded') {
  constructor(override readonly headers: Headers = {}) {
    super();
  }
}

export class RangeNotSatisfiable extends domainError(416, 'Range Not Satisfiable') {
  override readonly headers: Headers;

  constructor(size = 0) {
    super();
    this.headers = { 'Content-Range': `bytes */${size}` };
  }
}

class UploadIncompleteRefusal {
  @EnumField(['upload_incomplete'] as const, { description: 'What clients tell the refusal by' })
  code!: 'upload_incomplete';

  @TextField({ description: 'The same in words' })
  reason!: string;

  @ListField(int({ min: 1 }), { description: 'Numbers of parts' })
  missing_parts!: number[];
}

class PartMismatchRefusal {
  @EnumField(['part_mismatch'] as const, { description: 'What clients tell the refusal by' })
  code!: 'part_mismatch';

  @TextField({ description: 'The same in words' })
  reason!: string;

  @IntField({ min: 1, description: 'From 1' })
  part_number!: number;
}

export class UploadIncomplete extends DomainError {
  static readonly status = 409;
  static readonly answer = UploadIncompleteRefusal;
  static readonly detail = { code: 'upload_incomplete', reason: 'Parts are missing', missing_parts: [2, 7] };

  constructor(missing: readonly number[] = []) {
    super(UploadIncomplete.status, { ...UploadIncomplete.detail, missing_parts: missing });
  }
}

export class PartMismatch extends DomainError {
  static readonly status = 409;
  static readonly answer = PartMismatchRefusal;
  static readonly detail = { code: 'part_mismatch', reason: 'A part has another etag', part_number: 2 };

  constructor(partNumber = 0) {
    super(PartMismatch.status, { ...PartMismatch.detail, part_number: partNumber });
  }
}
