import type { NestExpressApplication } from '@nestjs/platform-express';
import type { Request, Response } from 'express';
import { PageFile } from '../../platform/http/page-file.js';
import { clientDocument } from '../client-document.js';
import type { BuiltDocument } from '../document.js';
import { DOCS_SCRIPT, docsPage } from './docs-page.js';
import { ICON } from './icon.js';
import { installedPackage } from './packages.js';
import { redocPage, redocScript } from './redoc-page.js';

interface Routes {
  get(path: string, handler: (request: Request, response: Response) => Promise<void>): void;
}

/**
 * Serves the document, the one that clients are made from, and two readers of that from files of installed packages; nothing
 * comes from elsewhere. The document is made when it is first asked for, and once: at every start it would be a tenth of
 * what that costs.
 */
export function serveDocument(
  app: NestExpressApplication,
  make: () => Pick<BuiltDocument, 'document' | 'limits'>,
): void {
  const built = once(make);
  const swagger = installedPackage('swagger-ui-dist');
  const redoc = installedPackage('redoc');
  const ofSwagger = (type: string, name: string): PageFile =>
    new PageFile(type, () => swagger.read(name), swagger.version);
  const redocBundle = async (): Promise<Buffer> => redocScript(await redoc.read('bundles/redoc.standalone.js'));
  const forClients = (): string => JSON.stringify(clientDocument(built().document, built().limits));
  const files: readonly (readonly [paths: string[], file: PageFile])[] = [
    [['/openapi.json'], new PageFile('json', () => JSON.stringify(built().document))],
    [['/openapi.client.json'], new PageFile('json', forClients)],
    [['/docs', '/docs/'], new PageFile('html', () => docsPage(swagger.version))],
    [['/docs/start.js'], new PageFile('js', () => DOCS_SCRIPT)],
    [['/docs/swagger-ui.css'], ofSwagger('css', 'swagger-ui.css')],
    [['/docs/swagger-ui-bundle.js'], ofSwagger('js', 'swagger-ui-bundle.js')],
    [['/docs/icon.svg'], new PageFile('svg', () => ICON)],
    [['/redoc', '/redoc/'], new PageFile('html', () => redocPage(redoc.version))],
    [['/redoc/redoc.standalone.js'], new PageFile('js', redocBundle, redoc.version)],
  ];
  const express = app.getHttpAdapter().getInstance() as Routes;
  for (const [paths, file] of files) for (const path of paths) express.get(path, file.send);
}

function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => (made ??= { value: make() }).value;
}
