import { domainError } from '../../../../platform/http/domain-error.js';

export class SavedViewNotFound extends domainError(404, 'Saved view not found') {}
export class SavedViewNameInUse extends domainError(409, 'Saved view name already in use') {}
export class SavedViewChanged extends domainError(409, 'Saved view has changed meanwhile') {}
export class TooManySavedViews extends domainError(409, 'Project has too many saved views') {}
export class SavedViewsTooLarge extends domainError(409, 'Saved views of the project are too large') {}
