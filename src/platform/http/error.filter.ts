import {
  type ArgumentsHost,
  Catch,
  type ExceptionFilter,
  HttpException,
  Inject,
  Injectable,
  Logger,
} from '@nestjs/common';
import type { Response } from 'express';
import { OverloadedError, KeyOverloadedError } from '../concurrency/index.js';
import { isOutOfReach } from '../database/database-faults.js';
import { RequestAborted } from './body-bytes.js';
import { isAnsweredForBrokenBody } from './client-errors.js';
import {
  DomainError,
  type DomainErrorClass,
  MethodNotAllowed,
  RouteNotFound,
  ServiceOverloaded,
  TooManyAtOnce,
} from './domain-error.js';
import { ValidationError } from './validation/index.js';
import type { CheckedRequest } from './inputs.js';
import { RouteTable } from './route-table.js';
import { sendJson } from './send-json.js';
import { writeObject } from './written-json.js';
import { asError, errorCode } from '../errors/index.js';

/** The error that each database constraint stands for, by the name of the constraint. */
export type ConstraintErrors = Readonly<Record<string, DomainErrorClass>>;
export const CONSTRAINT_ERRORS = Symbol('CONSTRAINT_ERRORS');

/** The form of errors below a path whose protocol defines its own form. */
export interface ErrorForm {
  readonly prefix: string;
  /** @param detail the sentence, the structured reason, or the issues of the inputs */
  readonly write: (response: Response, status: number, detail: unknown) => void;
}
export const ERROR_FORMS = Symbol('ERROR_FORMS');

/**
 * Writes every error as `{"detail": …}`, or in the form that the protocol of the path defines. The answer to an
 * unexpected error never shows its cause.
 */
@Catch()
@Injectable()
export class ErrorFilter implements ExceptionFilter {
  private readonly logger = new Logger('http');

  constructor(
    private readonly routes: RouteTable,
    @Inject(CONSTRAINT_ERRORS) private readonly constraints: ConstraintErrors,
    @Inject(ERROR_FORMS) private readonly forms: readonly ErrorForm[],
  ) {}

  catch(thrown: unknown, host: ArgumentsHost): void {
    const request = host.switchToHttp().getRequest<CheckedRequest>();
    const response = host.switchToHttp().getResponse<Response>();
    if (thrown instanceof RequestAborted) {
      response.destroy();
      return;
    }
    // The body of the request was broken and the client was already answered, so the handler could not write its
    // answer.
    if (isAnsweredForBrokenBody(response) && isTooLate(thrown)) return;
    if (thrown instanceof ValidationError) {
      this.write(request, response, 422, thrown.issues);
      return;
    }
    const error = this.toDomainError(thrown, request);
    if (error === null) {
      this.logger.error(asError(thrown));
      this.write(request, response, 500, 'Internal Server Error');
      return;
    }
    if (error.logLevel !== 'debug') this.logger.warn(`${error.status} ${error.message}`);
    if (!response.headersSent)
      for (const [name, value] of Object.entries(error.headers)) response.setHeader(name, value);
    this.write(request, response, error.status, error.detail, error.members);
  }

  private write(request: CheckedRequest, response: Response, status: number, detail: unknown, members = {}): void {
    if (response.headersSent) {
      if (!isAnsweredForBrokenBody(response)) response.destroy();
      return;
    }
    const form = this.forms.find(({ prefix }) => request.path.startsWith(prefix));
    if (form === undefined) sendJson(response, status, writeObject({ ...members, detail }));
    else form.write(response, status, detail);
  }

  private toDomainError(thrown: unknown, request: CheckedRequest): DomainError | null {
    if (thrown instanceof DomainError) return thrown;
    if (thrown instanceof KeyOverloadedError) return new TooManyAtOnce();
    if (thrown instanceof OverloadedError || isOutOfReach(thrown)) return new ServiceOverloaded();
    if (thrown instanceof HttpException && thrown.getStatus() === 404) {
      const allowed = this.routes.methodsOf(request.path);
      return allowed.length === 0 ? new RouteNotFound() : new MethodNotAllowed(allowed);
    }
    // A path that cannot be percent-decoded matches no route.
    if (thrown instanceof URIError || (thrown instanceof HttpException && thrown.getStatus() === 400))
      return new RouteNotFound();
    const constraint = constraintOf(thrown);
    const known = constraint === undefined ? undefined : this.constraints[constraint];
    return known === undefined ? null : new known();
  }
}

/** Returns the name of the violated database constraint, also when TypeORM has wrapped the error. */
export function constraintOf(thrown: unknown): string | undefined {
  if (typeof thrown !== 'object' || thrown === null) return undefined;
  const { constraint, driverError } = thrown as { constraint?: unknown; driverError?: unknown };
  if (typeof constraint === 'string') return constraint;
  return driverError === undefined || driverError === thrown ? undefined : constraintOf(driverError);
}

function isTooLate(thrown: unknown): boolean {
  return errorCode(thrown) === 'ERR_HTTP_HEADERS_SENT';
}
