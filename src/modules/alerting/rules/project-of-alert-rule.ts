import { Injectable } from '@nestjs/common';
import { ProjectOfResource } from '../../access/index.js';
import { AlertRuleNotFound } from './rules.service.js';
import { AlertRulesRepository } from './rules.repository.js';

@Injectable()
export class ProjectOfAlertRule extends ProjectOfResource {
  readonly parameter = 'rule_id';
  readonly notFound = AlertRuleNotFound;

  constructor(private readonly rules: AlertRulesRepository) {
    super();
  }

  projectOf(id: string): Promise<string | null> {
    return this.rules.projectOf(id);
  }
}
