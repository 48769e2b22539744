import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { type IncomingMessage, type RequestListener, ServerResponse } from 'node:http';
import { get } from 'node:https';
import { type AddressInfo, connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { once } from 'node:events';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  Body,
  type CanActivate,
  Controller,
  Get,
  Header,
  HttpCode,
  Module,
  Param,
  Post,
  Req,
  Res,
  StreamableFile,
  UseGuards,
} from '@nestjs/common';
import type { NestApplicationOptions } from '@nestjs/common';
import { ExpressAdapter, type NestExpressApplication } from '@nestjs/platform-express';
import { DocumentBuilder, SwaggerModule } from '@nestjs/swagger';
import { NestFactory } from '@nestjs/core';
import express, { type Request, type Response } from 'express';
import supertest from 'supertest';
import { FastExpressAdapter } from '../../src/platform/http/fast-express-adapter.js';
import { createApiApp } from '../support/app.js';

class Nobody implements CanActivate {
  canActivate(): boolean {
    return false;
  }
}

@Controller('things')
class ThingsController {
  @Get('object')
  object(): object {
    return { text: 'Grüße 💥', none: undefined, nothing: null, list: [1, { a: true }], at: new Date(0) };
  }

  @Get('list')
  list(): unknown[] {
    return [1, 2, 3];
  }

  @Get('text')
  text(): string {
    return 'plain';
  }

  @Get('nothing')
  nothing(): void {
    return undefined;
  }

  @Post('gone')
  @HttpCode(204)
  gone(): object {
    return { ignored: true };
  }

  @Get('typed')
  @Header('Content-Type', 'application/problem+json')
  typed(): object {
    return { typed: true };
  }

  @Get('file')
  file(): StreamableFile {
    return new StreamableFile(Buffer.from('bytes of a file'), { type: 'text/plain' });
  }

  @Get('by-hand')
  byHand(@Res() response: Response): void {
    response.status(202).cookie('a', 'b').json({ by: 'hand' });
  }

  @Get('redirect')
  redirect(@Res() response: Response): void {
    response.redirect('/things/object');
  }

  @Get('facts/:id')
  facts(@Req() request: Request, @Param('id') id: string): object {
    const { path, query, protocol, hostname, xhr } = request;
    return { id, path, query, protocol, hostname, xhr, accepts: request.accepts('json'), type: request.get('X-Type') };
  }

  @Post('echo')
  echo(@Body() body: object, @Req() request: Request & { rawBody?: Buffer }): object {
    return { body, raw: request.rawBody?.toString() };
  }

  @Get('forbidden')
  @UseGuards(Nobody)
  forbidden(): string {
    return 'never';
  }

  @Get('broken')
  broken(): never {
    throw new Error('on purpose');
  }
}

@Module({ controllers: [ThingsController] })
class ThingsModule {}

type Adapter = typeof ExpressAdapter | typeof FastExpressAdapter;

async function start(adapter: Adapter, options: NestApplicationOptions = {}): Promise<NestExpressApplication> {
  const application = express();
  application.set('etag', false);
  const app = await NestFactory.create<NestExpressApplication>(ThingsModule, new adapter(application), {
    logger: false,
    rawBody: true,
    ...options,
  });
  app.enableCors({ origin: 'https://app.example.com', credentials: true });
  SwaggerModule.setup('docs', app, SwaggerModule.createDocument(app, new DocumentBuilder().build()));
  await app.listen(0, '127.0.0.1');
  return app;
}

type Call = [name: string, call: (agent: ReturnType<typeof supertest>) => supertest.Test];

const CALLS: Call[] = [
  ['an object', (on) => on.get('/things/object')],
  ['a list', (on) => on.get('/things/list')],
  ['a text', (on) => on.get('/things/text')],
  ['nothing', (on) => on.get('/things/nothing')],
  ['no content', (on) => on.post('/things/gone')],
  ['a media type of its own', (on) => on.get('/things/typed')],
  ['a file', (on) => on.get('/things/file')],
  ['an answer by hand', (on) => on.get('/things/by-hand')],
  ['a redirect', (on) => on.get('/things/redirect').redirects(0)],
  ['facts of the request', (on) => on.get('/things/facts/7?a=1&a=2&b[c]=3').set('X-Type', 'x')],
  ['HEAD of an object', (on) => on.head('/things/object')],
  ['HEAD of a file', (on) => on.head('/things/file')],
  ['an unknown path', (on) => on.get('/nowhere')],
  ['another method', (on) => on.delete('/things/object')],
  ['a guard that refuses', (on) => on.get('/things/forbidden')],
  ['a fault', (on) => on.get('/things/broken')],
  ['a JSON body and its bytes', (on) => on.post('/things/echo').send({ a: { b: 'ü' } })],
  ['a form', (on) => on.post('/things/echo').type('form').send('a=1&b[c]=2')],
  ['bad JSON', (on) => on.post('/things/echo').type('json').send('{"a":')],
  ['a large body', (on) => on.post('/things/echo').send({ a: 'x'.repeat(90_000) })],
  ['a body too large', (on) => on.post('/things/echo').send({ a: 'x'.repeat(200_000) })],
  [
    'a compressed body',
    (on) => {
      const call = on.post('/things/echo').type('json').set('Content-Encoding', 'gzip');
      call.write(gzipSync('{"a":1}'));
      return call;
    },
  ],
  ['CORS', (on) => on.get('/things/object').set('Origin', 'https://app.example.com')],
  [
    'a CORS preflight',
    (on) =>
      on.options('/things/object').set('Origin', 'https://app.example.com').set('Access-Control-Request-Method', 'GET'),
  ],
  ['the page of Swagger UI', (on) => on.get('/docs')],
  ['a file of Swagger UI', (on) => on.get('/docs/swagger-ui.css')],
  ['a range of it', (on) => on.get('/docs/swagger-ui.css').set('Range', 'bytes=10-20')],
];

describe('the fast adapter', () => {
  let stock: NestExpressApplication;
  let fast: NestExpressApplication;

  beforeAll(async () => {
    [stock, fast] = await Promise.all([start(ExpressAdapter), start(FastExpressAdapter)]);
  });
  afterAll(() => Promise.all([stock.close(), fast.close()]));

  it.each(CALLS)("answers as Nest's own: %s", async (_, call) => {
    const [expected, found] = await Promise.all(
      [stock, fast].map(async (app) => {
        const { status, headers, text } = await call(supertest(app.getHttpServer()));
        return {
          status,
          headers: Object.fromEntries(Object.entries(headers).filter(([name]) => name !== 'date')),
          text,
        };
      }),
    );
    expect(found).toEqual(expected);
  });

  it('makes requests and responses with the prototypes that Express is about to set', async () => {
    const service = await createApiApp();
    try {
      for (const app of [fast, service.nest]) {
        const { request, response } = app.getHttpAdapter().getInstance() as { request: object; response: object };
        const seen: boolean[] = [];
        const look: RequestListener = (incoming, outgoing) =>
          seen.push(Object.getPrototypeOf(incoming) === request, Object.getPrototypeOf(outgoing) === response);
        const server = app.getHttpServer();
        server.prependListener('request', look);
        await supertest(server).get('/anything');
        server.removeListener('request', look);
        expect(seen).toEqual([true, true]);
      }
    } finally {
      await service.close();
    }
  });

  it('leaves the prototypes of Node as they are', () => {
    expect(Object.getPrototypeOf(ServerResponse.prototype)).not.toBe(express.response);
    expect(express().request).not.toBe((fast.getHttpAdapter().getInstance() as { request: object }).request);
  });

  it('cuts connections on close when told to', async () => {
    const app = await start(FastExpressAdapter, { forceCloseConnections: true });
    const { port } = app.getHttpServer().address() as AddressInfo;
    const socket = connect(port, '127.0.0.1');
    socket.on('error', () => undefined);
    await once(socket, 'connect');
    const gone = once(socket, 'close');
    await app.close();
    await gone;
  });

  it('serves requests over HTTPS', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'adapter-'));
    const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
    const subject = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-subj', '/CN=localhost'];
    execFileSync('openssl', ['req', '-x509', '-nodes', '-keyout', key, '-out', cert, ...subject], { stdio: 'ignore' });
    const httpsOptions = { key: readFileSync(key), cert: readFileSync(cert) };
    rmSync(folder, { recursive: true });
    const app = await start(FastExpressAdapter, { httpsOptions });
    try {
      const { port } = app.getHttpServer().address() as AddressInfo;
      const asked = get({
        port,
        host: '127.0.0.1',
        path: '/things/list',
        ca: httpsOptions.cert,
        servername: 'localhost',
      });
      const [answer] = (await once(asked, 'response')) as [IncomingMessage];
      const chunks: Buffer[] = [];
      for await (const chunk of answer) chunks.push(chunk as Buffer);
      expect([answer.statusCode, Buffer.concat(chunks).toString()]).toEqual([200, '[1,2,3]']);
    } finally {
      await app.close();
    }
  });
});
