import type { OpenAPIObject } from '@nestjs/swagger';
import type { NestExpressApplication } from '@nestjs/platform-express';
import type { Request, Response } from 'express';
import { PageFile } from '../../platform/http/page-file.js';
import { clientDocument } from '../client-document.js';
import type { BuiltDocument } from '../document.js';
import { openApi30 } from '../openapi-3-0/index.js';
import { copiedPackage } from './copied-package.js';
import { DOCS_SCRIPT, docsPage } from './docs-page.js';
import { versionOf } from './document-query.js';
import { ICON } from './icon.js';
import { redocPage, redocScript } from './redoc-page.js';

interface Routes {
  get(path: string, handler: (request: Request, response: Response) => Promise<void>): void;
}

type Served = readonly [paths: readonly string[], file: PageFile];

/**
 * Serves the API document, the document from which clients are generated, and two pages that show it: Swagger UI and
 * Redoc. Every file comes from this service. The document is built once, at the first request: building it takes a
 * tenth of the start. The document for clients is served in OpenAPI 3.1, and in 3.0 for generators that do not read 3.1.
 */
export function serveDocument(
  app: NestExpressApplication,
  make: () => Pick<BuiltDocument, 'document' | 'limits' | 'others'>,
): void {
  const built = once(make);
  const forClients = (): OpenAPIObject => clientDocument(built().document, built().limits, built().others);
  const versions = {
    '3.0': new PageFile('json', () => JSON.stringify(openApi30(forClients()))),
    '3.1': new PageFile('json', () => JSON.stringify(forClients())),
  } as const;
  const files: readonly Served[] = [
    [['/openapi.json'], new PageFile('json', () => JSON.stringify(built().document))],
    [['/docs/icon.svg'], new PageFile('svg', () => ICON)],
    ...swaggerFiles(),
    ...redocFiles(),
  ];
  const express = app.getHttpAdapter().getInstance() as Routes;
  for (const [paths, file] of files) for (const path of paths) express.get(path, file.send);
  express.get('/openapi.client.json', async (request, response) =>
    versions[versionOf(request.query)].send(request, response),
  );
}

function swaggerFiles(): Served[] {
  const swagger = copiedPackage('swagger-ui-dist');
  if (swagger === null) return [];
  const { version } = swagger;
  const copied = (type: string, name: string): PageFile => new PageFile(type, () => swagger.read(name), version);
  return [
    [['/docs', '/docs/'], new PageFile('html', () => docsPage(version))],
    [['/docs/start.js'], new PageFile('js', () => DOCS_SCRIPT)],
    [['/docs/swagger-ui.css'], copied('css', 'swagger-ui.css')],
    [['/docs/swagger-ui-bundle.js'], copied('js', 'swagger-ui-bundle.js')],
  ];
}

function redocFiles(): Served[] {
  const redoc = copiedPackage('redoc');
  if (redoc === null) return [];
  const { version } = redoc;
  const script = async (): Promise<Buffer> => redocScript(await redoc.read('redoc.standalone.js'));
  return [
    [['/redoc', '/redoc/'], new PageFile('html', () => redocPage(version))],
    [['/redoc/redoc.standalone.js'], new PageFile('js', script, version)],
  ];
}

function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => (made ??= { value: make() }).value;
}
