import type { Response } from 'supertest';
import type { Actor, Owner } from './actors.js';
import type { TestApp } from './app.js';

/** The actions of a person below /v1/secrets in one project. */
export class SecretsClient {
  constructor(
    private readonly app: TestApp,
    private readonly actor: Pick<Actor, 'bearer'>,
    private readonly projectId: string,
  ) {}

  as(actor: Pick<Actor, 'bearer'>): SecretsClient {
    return new SecretsClient(this.app, actor, this.projectId);
  }

  async list(): Promise<Response> {
    const request = this.app.request().get('/v1/secrets').query({ project_id: this.projectId });
    return request.set('Authorization', this.actor.bearer);
  }

  async create(name: string, value: unknown, more: object = {}): Promise<Response> {
    const body = { project_id: this.projectId, name, value, ...more };
    return this.app.request().post('/v1/secrets').set('Authorization', this.actor.bearer).send(body);
  }

  /** @returns the id */
  async made(name: string, value: string): Promise<string> {
    const answer = await this.create(name, value);
    if (answer.status !== 201) throw new Error(`${answer.status} ${answer.text}`);
    return (answer.body as { id: string }).id;
  }

  async replace(id: string, value: unknown, more: object = {}): Promise<Response> {
    const request = this.app.request().put(`/v1/secrets/${id}`).set('Authorization', this.actor.bearer);
    return request.send({ value, ...more });
  }

  async delete(id: string): Promise<Response> {
    return this.app.request().delete(`/v1/secrets/${id}`).set('Authorization', this.actor.bearer);
  }
}

export function secretsOf(app: TestApp, owner: Owner): SecretsClient {
  return new SecretsClient(app, owner, owner.projectId);
}
