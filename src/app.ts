import { NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import makeExpress, { type Application, type NextFunction, type Request, type Response } from 'express';
import { AppModule } from './app.module.js';
import type { Runtime } from './base-providers.js';
import { BrowserIngestionMiddleware } from './modules/entitlement/api-keys/index.js';
import { type AccessScope, isInternal } from './modules/access/index.js';
import { isSigned, SignedRoutesCors } from './modules/entitlement/storage/index.js';
import { UsageMetering } from './modules/events/usage/index.js';
import { CONSOLE_PATH, Console } from './modules/operations/console/index.js';
import { JOB_BOARD_PATH, JobBoard } from './modules/operations/job-board/index.js';
import { TEST_CONTROL_PATH, TestControl } from './modules/operations/test-control/index.js';
import { MonthlyRequestsExceeded } from './modules/entitlement/quotas/index.js';
import { buildDocument } from './openapi/document.js';
import { serveDocument } from './openapi/pages/index.js';
import { StrangerGate } from './platform/admission/index.js';
import type { CheckedRequest } from './platform/http/inputs.js';
import { answerClientErrors } from './platform/http/client-errors.js';
import { DroppedBytes } from './platform/http/dropped-bytes.js';
import { DirectRoutes, type RequestFront } from './platform/http/direct-routes.js';
import { FastExpressAdapter } from './platform/http/fast-express-adapter.js';
import { parsePairs } from './platform/http/pairs.js';
import { faultOfHead } from './platform/http/request-head.js';
import { RequestObserver } from './platform/http/request-log.js';
import { requestIdFrom } from './platform/http/request-id.js';
import { indexRoutes } from './platform/http/route-index.js';
import { RouteTable } from './platform/http/route-table.js';
import { setSecurityHeaders } from './platform/http/security-headers.js';
import {
  PolicyFinder,
  RATE_LIMIT_POLICIES,
  RateLimitCredentials,
  RateLimiter,
  type RateLimitPolicy,
} from './platform/rate-limit/index.js';
import { Metrics, type RequestContext, runInContext, startSpan, traceparentFrom } from './platform/telemetry/index.js';

/** Headers that browsers of permitted origins may read. */
const EXPOSED_HEADERS = [
  'X-Request-ID',
  'Retry-After',
  'X-RateLimit-Policy',
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
  'X-Trusted-Device-Token',
  'X-Service-Ingest-Mode',
  'X-Service-Persisted-Synchronously',
  'X-Service-Block-Reason',
  'X-Service-Upgrade-URL',
  'X-Service-Billing-Status',
  'X-Service-Monthly-Limit',
  'X-Service-Monthly-Used',
  'X-Service-Monthly-Request-Limit',
  'X-Service-Monthly-Requests-Used',
  'X-Service-Period-Start',
  'X-Service-Period-End',
  'X-Service-Storage-Limit',
  'X-Service-Storage-Used',
  'X-Service-Bandwidth-Limit',
  'X-Service-Bandwidth-Used',
];

/** The HTTP application, ready to listen. */
export async function createApp(runtime: Runtime): Promise<NestExpressApplication> {
  const { config } = runtime;
  const adapter = new FastExpressAdapter(strictRouter());
  const app = await NestFactory.create<NestExpressApplication>(AppModule.for(runtime), adapter, {
    logger: runtime.logger,
    bodyParser: false,
    abortOnError: false,
    bufferLogs: false,
    routeConflictPolicy: { duplicate: 'error' },
    routeResolutionStrategy: 'specificity',
  });
  app.set('trust proxy', config.http.trustProxy);
  app.set('etag', false);
  app.set('query parser', (text: string | null) => parsePairs(text ?? '', 'query'));
  app.disable('x-powered-by');

  const observer = new RequestObserver(runtime.logger, app.get(Metrics), config.accessLog);
  const dropped = new DroppedBytes();
  const limiter = app.get(RateLimiter);
  const credentials = app.get(RateLimitCredentials);
  const gate = new StrangerGate((request) =>
    isInternal(request, config) ? 'internal' : credentials.liveHolderOf(request),
  );
  const metering = app.get(UsageMetering, { strict: false });
  const allowsOrigins = config.http.corsOrigins.length > 0;
  const front: RequestFront = {
    headers: allowsOrigins
      ? [
          ['Vary', 'Origin'],
          ['Access-Control-Expose-Headers', EXPOSED_HEADERS.join(',')],
        ]
      : [],
    begin(request, response) {
      const given = request.headers['x-request-id'] as string | undefined;
      request.requestId = requestIdFrom(given);
      request.context = contextOf(request);
      observer.watch(request, response, request.requestId !== given);
      dropped.watch(request, response);
      response.setHeader('X-Request-ID', request.requestId);
      setSecurityHeaders(request.path, response);
      const fault = faultOfHead(request);
      if (fault !== undefined) response.shouldKeepAlive = false;
      return fault;
    },
    admit(request, response, next) {
      metering.watch(request as CheckedRequest<AccessScope>, response);
      gate.handle(request, response, (refusal?: unknown) => {
        if (isOver(response)) return;
        if (refusal !== undefined) next(refusal);
        else
          limiter.handle(request, response, (exceeded?: unknown) => {
            if (!isOver(response)) next(exceeded);
          });
      });
    },
  };
  app.use((request: CheckedRequest, response: Response, next: NextFunction) => {
    const fault = front.begin(request, response);
    runInContext(request.context as RequestContext, (leave) => {
      response.once('close', leave);
      next(fault);
    });
  });
  app.use(app.get(BrowserIngestionMiddleware, { strict: false }).middleware(EXPOSED_HEADERS));
  app.use(app.get(SignedRoutesCors, { strict: false }).handle);
  if (allowsOrigins) {
    const cors = { origin: [...config.http.corsOrigins], exposedHeaders: EXPOSED_HEADERS, maxAge: 600 };
    app.enableCors(({ path }: Request, settle: (error: null, options: object) => void) =>
      settle(null, isSigned(path) ? { origin: false } : cors),
    );
  }
  app.use((request: CheckedRequest, response: Response, next: NextFunction) => front.admit(request, response, next));

  app.use(JOB_BOARD_PATH, app.get(JobBoard, { strict: false }).handle);
  if (config.testControlToken !== undefined) app.use(TEST_CONTROL_PATH, app.get(TestControl, { strict: false }).handle);
  if (config.http.servesConsole) {
    const page = app.get(Console, { strict: false });
    app.use(CONSOLE_PATH, page.handle);
    app.use(page.forward);
  }
  const policies = new PolicyFinder(app.get<RateLimitPolicy[]>(RATE_LIMIT_POLICIES));
  const isLimited = (method: string, path: string): boolean => policies.find(method, path) !== null;
  const ownSentences = { [MonthlyRequestsExceeded.detail]: config.quotas.requestQuotaMessage };
  serveDocument(app, () => buildDocument(app, { isLimited, ownSentences }));
  await app.init();
  const express = app.getHttpAdapter().getInstance() as Application;
  indexRoutes(express);
  app.get(RouteTable).attach(express);
  const direct = new DirectRoutes(app, front);
  adapter.setDirect((request, response) => direct.take(request, response));
  answerClientErrors(app.getHttpServer(), dropped, (refusal) => observer.refusedByParser(refusal));
  return app;
}

/** Returns the context of a request that has just arrived. Its trace is that of the client, if the client sent one. */
function contextOf({ headers, method, requestId }: CheckedRequest): RequestContext {
  const cameAt = performance.now();
  const parent = traceparentFrom(headers.traceparent as string | undefined);
  const span = startSpan({ kind: 'server', name: method, parent });
  return { requestId, cameAt, traceparent: span?.traceparent ?? parent, span };
}

/** Accepts one spelling of each path. The settings precede the router, which reads them when it is created. */
function strictRouter(): Application {
  const application = makeExpress();
  application.set('case sensitive routing', true);
  application.set('strict routing', true);
  return application;
}

/**
 * Returns whether the response has ended. While a credential or a limit was read, the client may have disconnected, or
 * the parser may have answered a broken body.
 */
function isOver(response: Response): boolean {
  return response.destroyed || response.headersSent;
}
