// A Nest route that sends its JSON body back, on Nest's Express adapter or on the service's adapter, to compare the
// two.
import 'reflect-metadata';
import { Body, Controller, HttpCode, Module, Post } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { ExpressAdapter } from '@nestjs/platform-express';
import express from 'express';
import { FastExpressAdapter } from '../dist/src/platform/http/fast-express-adapter.js';

class EchoController {
  echo(body) {
    return body;
  }
}
class EchoModule {}

// The decorators are applied by hand, because this file is not compiled.
const method = Object.getOwnPropertyDescriptor(EchoController.prototype, 'echo');
Body()(EchoController.prototype, 'echo', 0);
HttpCode(200)(EchoController.prototype, 'echo', method);
Post()(EchoController.prototype, 'echo', method);
Controller()(EchoController);
Module({ controllers: [EchoController] })(EchoModule);

const Adapter = process.env.ADAPTER === 'stock' ? ExpressAdapter : FastExpressAdapter;
const app = await NestFactory.create(EchoModule, new Adapter(express()), { logger: ['error'] });
app.set('etag', false);
await app.listen(Number(process.env.PORT ?? 0), '127.0.0.1');
process.stdout.write(`${JSON.stringify({ url: `http://127.0.0.1:${app.getHttpServer().address().port}` })}\n`);
