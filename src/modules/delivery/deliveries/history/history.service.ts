import { Injectable } from '@nestjs/common';
import type { ProjectScope } from '../../../access/index.js';
import { AttemptNotFound } from '../delivery.errors.js';
import { AttemptPresenter, retryAuditResponse } from './attempt.presenter.js';
import type {
  AttemptDetailResponse,
  HistoryQuery,
  HistoryResponse,
  RetryAuditsQuery,
  RetryAuditsResponse,
} from './history.dto.js';
import { HistoryRepository } from './history.repository.js';

@Injectable()
export class HistoryService {
  constructor(
    private readonly history: HistoryRepository,
    private readonly presenter: AttemptPresenter,
  ) {}

  async list(scope: ProjectScope, query: HistoryQuery): Promise<HistoryResponse> {
    const { items, total } = await this.history.list(scope, query);
    return { items: await this.presenter.list(items), total, limit: query.limit, offset: query.offset };
  }

  async get(scope: ProjectScope, id: string): Promise<AttemptDetailResponse> {
    const view = await this.history.findDetail(scope, id);
    if (view === null) throw new AttemptNotFound();
    return this.presenter.detail(view);
  }

  async audits(scope: ProjectScope, query: RetryAuditsQuery): Promise<RetryAuditsResponse> {
    const { items, total } = await this.history.audits(scope, query);
    return { items: items.map(retryAuditResponse), total, limit: query.limit, offset: query.offset };
  }
}
