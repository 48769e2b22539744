import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { type OpenAPIObject, SwaggerModule } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { clientDocument } from './client-document.js';
import { SERVICE_TITLE } from '../platform/http/service-info.js';

function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => (made ??= { value: make() }).value;
}

const require = createRequire(import.meta.url);

const REDOC_PAGE = `<!DOCTYPE html>
<html lang="en">
  <head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>${SERVICE_TITLE}</title></head>
  <body style="margin:0"><redoc spec-url="/openapi.json"></redoc><script src="/redoc/redoc.standalone.js"></script></body>
</html>
`;

/**
 * Serves the document, the one that clients are made from, and two readers from files of installed packages; nothing comes from elsewhere. The document
 * is made when it is first asked for, and once: at every start it would be a tenth of what that costs.
 */
export function serveDocument(
  app: NestExpressApplication,
  make: () => OpenAPIObject,
  isLimited: (method: string, path: string) => boolean,
): void {
  const document = once(make);
  const forClients = once(() => JSON.stringify(clientDocument(document(), isLimited)));
  SwaggerModule.setup('docs', app, document, {
    jsonDocumentUrl: 'openapi.json',
    raw: ['json'],
    customSiteTitle: SERVICE_TITLE,
  });
  const script = join(dirname(require.resolve('redoc/package.json')), 'bundles', 'redoc.standalone.js');
  const express = app.getHttpAdapter().getInstance() as {
    get(path: string, handler: (request: Request, response: Response) => void): void;
  };
  express.get('/openapi.client.json', (_request, response) => void response.type('json').send(forClients()));
  express.get('/redoc', (_request, response) => void response.type('html').send(REDOC_PAGE));
  express.get('/redoc/redoc.standalone.js', (_request, response) => response.sendFile(script));
}
