import { NestFactory } from '@nestjs/core';
import { ExpressAdapter, type NestExpressApplication } from '@nestjs/platform-express';
import express, { type Application, type NextFunction, type Response } from 'express';
import helmet from 'helmet';
import { AppModule, type Runtime } from './app.module.js';
import { BrowserIngestion } from './modules/api-keys/index.js';
import { buildDocument } from './openapi/document.js';
import { serveDocument } from './openapi/pages.js';
import type { CheckedRequest } from './platform/http/inputs.js';
import { answerClientErrors } from './platform/http/client-errors.js';
import { observeRequests } from './platform/http/request-log.js';
import { requestIdFrom } from './platform/http/request-id.js';
import { RouteTable } from './platform/http/route-table.js';
import { Metrics, runInContext } from './platform/telemetry/index.js';

/** Readable by browsers of permitted origins (DECISIONS 1). */
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
];

/** The HTTP application, ready to listen. */
export async function createApp(runtime: Runtime): Promise<NestExpressApplication> {
  const { config } = runtime;
  const app = await NestFactory.create<NestExpressApplication>(
    AppModule.for(runtime),
    new ExpressAdapter(strictRouter()),
    {
      logger: runtime.logger,
      bodyParser: false,
      abortOnError: false,
      bufferLogs: false,
      routeConflictPolicy: { duplicate: 'error' },
      routeResolutionStrategy: 'specificity',
    },
  );
  app.set('trust proxy', config.http.trustProxy);
  app.set('etag', false);
  app.set('query parser', 'simple');
  app.disable('x-powered-by');

  app.use((request: CheckedRequest, response: Response, next: NextFunction) => {
    request.requestId = requestIdFrom(request.headers['x-request-id'] as string | undefined);
    response.setHeader('X-Request-ID', request.requestId);
    runInContext({ requestId: request.requestId }, next);
  });
  app.use(observeRequests(runtime.logger, app.get(Metrics)));
  app.use(securityHeaders());
  app.use(app.get(BrowserIngestion, { strict: false }).middleware(EXPOSED_HEADERS));
  if (config.http.corsOrigins.length > 0) {
    app.enableCors({ origin: [...config.http.corsOrigins], exposedHeaders: EXPOSED_HEADERS, maxAge: 600 });
  }

  const { document } = buildDocument(app);
  serveDocument(app, document);
  await app.init();
  app.get(RouteTable).attach(app.getHttpAdapter().getInstance());
  answerClientErrors(app.getHttpServer());
  return app;
}

/** One spelling a path: set before the router is made, which takes its settings then. */
function strictRouter(): Application {
  const application = express();
  application.set('case sensitive routing', true);
  application.set('strict routing', true);
  return application;
}

/** JSON needs nothing; the two document readers need their own scripts and styles, from this origin alone. */
function securityHeaders(): (request: CheckedRequest, response: Response, next: NextFunction) => void {
  const forApi = helmet({
    contentSecurityPolicy: { useDefaults: false, directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] } },
    crossOriginResourcePolicy: { policy: 'same-origin' },
  });
  const forPages = helmet({
    contentSecurityPolicy: {
      useDefaults: false,
      directives: {
        defaultSrc: ["'self'"],
        imgSrc: ["'self'", 'data:'],
        styleSrc: ["'self'", "'unsafe-inline'"],
        workerSrc: ["'self'", 'blob:'],
        frameAncestors: ["'none'"],
        objectSrc: ["'none'"],
        baseUri: ["'none'"],
      },
    },
  });
  return (request, response, next) => {
    const isPage = /^\/(docs|redoc)(\/|$)/.test(request.path);
    // Tokens, keys and tenants' data belong in no cache; what may be kept says so itself.
    if (!isPage) response.setHeader('Cache-Control', 'no-store');
    (isPage ? forPages : forApi)(request, response, next);
  };
}
