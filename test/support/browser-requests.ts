import supertest, { type Test } from 'supertest';
import { service } from './service.js';

/** Sends the OPTIONS request with which a browser checks whether a page of another origin may send a POST. */
export function preflight(path: string, origin: string): Test {
  return options(path, origin)
    .set('Access-Control-Request-Method', 'POST')
    .set('Access-Control-Request-Headers', 'content-type,x-api-key');
}

/** Sends an OPTIONS request that is not a preflight. */
export function options(path: string, origin: string): Test {
  return supertest(service.url).options(path).set('Origin', origin);
}
