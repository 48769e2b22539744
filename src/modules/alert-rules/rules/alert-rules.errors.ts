import { domainError } from '../../../platform/http/domain-error.js';

export class AlertRuleNotFound extends domainError(404, 'Alert rule not found') {}
export class TooManyAlertRules extends domainError(409, 'Project has too many alert rules') {}
export class DetectorNotAvailable extends domainError(422, 'Detector not available') {}
