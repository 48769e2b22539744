import { Inject, Injectable } from '@nestjs/common';
import { CONFIG, type Config } from '../../../config/index.js';
import { BodyReader, isLines, type ReadBody } from '../../http/body-reader.js';
import { ValidationError } from '../../http/fields/index.js';
import type { CheckedRequest } from '../../http/inputs.js';
import type { Checks } from './route-checks.js';

/** Reads the body that a route takes, once a request, when the guard of its credential has let it through. */
@Injectable()
export class RequestBody {
  private readonly reader: BodyReader;

  constructor(@Inject(CONFIG) config: Config) {
    this.reader = new BodyReader(config.http.maxBodyBytes);
  }

  /** Empty for a route without a body. @throws DomainError 413 or 415 */
  async of(checks: Checks, request: CheckedRequest): Promise<ReadBody> {
    return (checks.body ??= await this.read(checks, request));
  }

  private async read({ plan }: Checks, request: CheckedRequest): Promise<ReadBody> {
    const { body, lines } = plan.inputs;
    if (body === undefined) return {};
    if (lines !== undefined && isLines(request)) {
      return { lines: await this.reader.readLines(request, lines.maxBytes) };
    }
    if (body.form === 'raw') return { raw: await this.reader.readRaw(request) };
    try {
      return {
        value:
          body.form === 'json' ? await this.reader.readJson(request) : await this.reader.readForm(request),
      };
    } catch (error) {
      // Malformed JSON is an input fault: membership of what path or query names is still decided first.
      if (error instanceof ValidationError) return { issues: error.issues };
      throw error;
    }
  }
}
