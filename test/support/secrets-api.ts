import type { Response } from 'supertest';
import { type Account, api, type Tenant } from './service.js';

/** The actions of a person below /v1/secrets in one project. */
export class SecretsClient {
  constructor(
    private readonly projectId: string,
    private readonly account: Account,
  ) {}

  as(account: Account): SecretsClient {
    return new SecretsClient(this.projectId, account);
  }

  async list(): Promise<Response> {
    return api.as(this.account).get('/v1/secrets', { project_id: this.projectId });
  }

  async create(name: string, value: unknown, more: object = {}): Promise<Response> {
    return api.as(this.account).post('/v1/secrets', { project_id: this.projectId, name, value, ...more });
  }

  /** @returns the id */
  async created(name: string, value: string): Promise<string> {
    const answer = await this.create(name, value);
    if (answer.status !== 201) throw new Error(`${answer.status} ${answer.text}`);
    return (answer.body as { id: string }).id;
  }

  async replace(id: string, value: unknown, more: object = {}): Promise<Response> {
    return api.as(this.account).put(`/v1/secrets/${id}`, { value, ...more });
  }

  async delete(id: string): Promise<Response> {
    return api.as(this.account).delete(`/v1/secrets/${id}`);
  }
}

export function secretsOf({ projectId, owner }: Tenant): SecretsClient {
  return new SecretsClient(projectId, owner);
}
