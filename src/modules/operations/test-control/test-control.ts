import { setTimeout as pause } from 'node:timers/promises';
import { Inject, Injectable } from '@nestjs/common';
import type { NextFunction, Request, Response } from 'express';
import { CONFIG, type Config } from '../../../config/index.js';
import { ReplicationLagReader, ReplicationLoop } from '../../events/event-store/index.js';
import { constantTimeEqual } from '../../../platform/crypto/index.js';
import { domainError, NotAuthenticated, RouteNotFound } from '../../../platform/http/domain-error.js';
import { FAULT_NAMES } from './faults.js';
import { TestControls } from './test-controls.js';

export const TEST_CONTROL_PATH = '/internal/test';

/** Timeout of the wait for replication, and the interval between two checks, in milliseconds. */
const [REPLICATION_MS, LOOK_MS] = [60_000, 10];

class UnknownControl extends domainError(400, 'The test control does not know this') {}

/**
 * Lets a test suite control this process. It exists only with NODE_ENV=test and TEST_CONTROL_TOKEN, and is not part of
 * the API. `docs/testing-over-http.md` describes its routes.
 */
@Injectable()
export class TestControl {
  constructor(
    @Inject(CONFIG) private readonly config: Config,
    @Inject(TestControls) private readonly controls: TestControls | null,
    private readonly lag: ReplicationLagReader,
    @Inject(ReplicationLoop) private readonly replicationLoop: ReplicationLoop | null,
  ) {}

  /** The handler for {@link TEST_CONTROL_PATH}. */
  readonly handle = (request: Request, response: Response, next: NextFunction): void => {
    const { testControlToken: expected } = this.config;
    if (expected === undefined || this.controls === null) return next();
    const given = request.headers['x-test-control-token'];
    if (typeof given !== 'string' || !constantTimeEqual(given, expected)) return next(new NotAuthenticated());
    this.answer(this.controls, request).then((body) => void response.status(200).json(body), next);
  };

  private async answer(controls: TestControls, { method, path, query }: Request): Promise<object> {
    const given = (name: string): string => {
      const value = query[name];
      return typeof value === 'string' ? value : '';
    };
    switch (`${method} ${path}`) {
      case 'POST /clock':
        if (!/^-?\d{1,15}$/.test(given('move_ms'))) throw new UnknownControl();
        controls.clock.move(Number(given('move_ms')));
        return { now: controls.clock.now().toISOString() };
      case 'POST /faults': {
        const name = FAULT_NAMES.find((known) => known === given('name'));
        if (name === undefined) throw new UnknownControl();
        controls.faults.add({ name, target: given('target'), containing: given('containing') });
        return { name };
      }
      case 'POST /replication':
        return { isDone: await this.replicated() };
      case 'GET /statements':
        return { statements: controls.statements.of(given('request_id')) };
      default:
        throw new RouteNotFound();
    }
  }

  /** Waits until ClickHouse has every event, and returns false on timeout. Returns true at once without ClickHouse. */
  private async replicated(): Promise<boolean> {
    for (const until = performance.now() + REPLICATION_MS; performance.now() < until; await pause(LOOK_MS)) {
      const behind = await this.lag.seconds();
      if (behind === null || behind === 0) return true;
      this.replicationLoop?.wake();
    }
    return false;
  }
}
