import { Injectable } from '@nestjs/common';
import { type AccessScope, RefusalMask } from '../../access/index.js';
import type { Issue } from '../../../platform/http/validation/index.js';
import { IngestionPolicyReader, Redaction } from '../../tenancy/projects/index.js';
import { maskIssues } from './masked-issues.js';

/** Masks every value that may become a property. Used while the project, and so its settings, are unknown. */
const OF_NO_PROJECT = new Redaction(['*']);

/** Removes what the project redacts from the validation errors of refused events. */
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
