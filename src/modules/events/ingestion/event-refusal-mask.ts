import { Injectable } from '@nestjs/common';
import { type AccessScope, RefusalMask } from '../../access/index.js';
import type { Issue } from '../../../platform/http/fields/index.js';
import { IngestionPolicyReader, Redaction } from '../../tenancy/projects/index.js';
import { maskIssues } from './masked-issues.js';

/** Before the project is known its settings are not: then every value that may become a property is masked. */
const OF_NO_PROJECT = new Redaction(['*']);

/** Refusals of events tell what was wrong without what the project redacts. */
@Injectable()
export class EventRefusalMask extends RefusalMask {
  constructor(private readonly policies: IngestionPolicyReader) {
    super();
  }

  async mask(scope: AccessScope | null, issues: readonly Issue[]): Promise<Issue[]> {
    const isKnown = scope !== null && 'projectId' in scope;
    return maskIssues(issues, isKnown ? await this.policies.redactionOf(scope) : OF_NO_PROJECT);
  }
}
