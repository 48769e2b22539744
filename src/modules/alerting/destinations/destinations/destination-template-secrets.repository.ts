import { Injectable } from '@nestjs/common';
import type { ProjectScope } from '../../../access/index.js';
import { Database, type Db } from '../../../../platform/database/database.js';
import { type StoredParameters, TemplateSecretUses } from '../../../delivery/templates/index.js';

/** Reports the secrets that the templates of destinations name. */
@Injectable()
export class DestinationTemplateSecretsRepository extends TemplateSecretUses {
  constructor(private readonly database: Database) {
    super();
  }

  protected templates({ projectId }: ProjectScope, db?: Db): Promise<StoredParameters[]> {
    return this.database.rows<StoredParameters>(
      `SELECT json_build_object('destination_id', id, 'destination_name', name) AS owner,
              template -> 'parameters' AS parameters
       FROM alert_destinations
       WHERE project_id = $1 AND template -> 'parameters' IS NOT NULL ORDER BY created_at, id`,
      [projectId],
      db,
    );
  }
}
