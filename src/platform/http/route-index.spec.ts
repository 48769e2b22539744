import { describe, expect, it } from '@jest/globals';
import express, { type Application, type Request, type Response } from 'express';
import request from 'supertest';
import { indexRoutes } from './route-index.js';

const ROUTES = [
  '/v1/logs',
  '/v1/logs/stream',
  '/v1/projects/:project_id',
  '/v1/projects/mine',
  '/v1/projects/:project_id/events/:event_id',
  '/files/*path',
  '/{optional/}end',
  '/:anything',
];

const PATHS = [
  '/v1/logs',
  '/v1/logs/',
  '/V1/logs',
  '/v1/log%73',
  '/v1/logs/stream?a=1',
  '/v1/projects/1',
  '/v1/projects/mine',
  '/v1/projects/a%2Fb',
  '/v1/projects/%ZZ',
  '/v1/projects/',
  '/v1/projects/1/events/2',
  '/files/a/b',
  '/end',
  '/optional/end',
  '/x',
  '/',
  '//',
  '/nothing/here',
];

function application(): Application {
  const app = express();
  app.set('case sensitive routing', true);
  app.set('strict routing', true);
  app.use((_request, response, next) => {
    response.setHeader('X-Passed', 'yes');
    next();
  });
  for (const route of ROUTES)
    app.get(route, ({ params }: Request, response: Response) => void response.json({ route, params }));
  return app;
}

describe('the index of routes', () => {
  it('finds the same routes as without it, with the same parameters', async () => {
    const plain = application();
    const indexed = application();
    indexRoutes(indexed);
    for (const path of PATHS) {
      const [expected, found] = await Promise.all([request(plain).get(path), request(indexed).get(path)]);
      expect([path, found.status, found.body, found.headers['x-passed']]).toEqual([
        path,
        expected.status,
        expected.body,
        expected.headers['x-passed'],
      ]);
    }
  });
});
