import { DomainError, domainError } from '../../../../../platform/http/domain-error.js';

/** The error types of RFC 7644, section 3.12. */
export type ScimType =
  | 'invalidFilter'
  | 'tooMany'
  | 'uniqueness'
  | 'mutability'
  | 'invalidSyntax'
  | 'invalidPath'
  | 'noTarget'
  | 'invalidValue';

/** An error in the form of SCIM, which {@link SCIM_ERROR_FORM} writes. */
export class ScimFault extends DomainError {
  static readonly status: number = 400;
  static readonly detail = 'The sentence names the fault';
  static readonly hasFreeText = true;

  constructor(status: number, sentence: string, scimType?: ScimType) {
    super(status, scimType === undefined ? sentence : { sentence, scimType });
  }
}

export const invalidValue = (sentence: string): ScimFault => new ScimFault(400, sentence, 'invalidValue');
export const invalidPath = (sentence: string): ScimFault => new ScimFault(400, sentence, 'invalidPath');
export const invalidFilter = (sentence: string): ScimFault => new ScimFault(400, sentence, 'invalidFilter');
export const invalidSyntax = (sentence: string): ScimFault => new ScimFault(400, sentence, 'invalidSyntax');
export const noTarget = (sentence: string): ScimFault => new ScimFault(400, sentence, 'noTarget');
export const mutability = (sentence: string): ScimFault => new ScimFault(400, sentence, 'mutability');
export const uniqueness = (sentence: string): ScimFault => new ScimFault(409, sentence, 'uniqueness');

/** The errors of the routes, for the API document. The sentences of actual errors differ. */
export class ScimRequestRefused extends domainError(400, 'The request is not valid') {
  static override readonly hasFreeText = true;
}
export class ScimResourceNotFound extends domainError(404, 'Resource not found') {}
export class ScimConflict extends domainError(409, 'The resource exists already') {
  static override readonly hasFreeText = true;
}
export class ScimVersionDiffers extends domainError(412, 'The resource has changed since this version') {}
export class OwnerKeepsMembership extends domainError(
  409,
  'The owner of the organization cannot be deactivated or removed by provisioning',
) {}
