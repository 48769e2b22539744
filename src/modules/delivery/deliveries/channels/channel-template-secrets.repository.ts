import { Injectable } from '@nestjs/common';
import type { ProjectScope } from '../../../access/index.js';
import { Database, type Db } from '../../../../platform/database/database.js';
import { type StoredParameters, TemplateSecretUses } from '../../templates/index.js';

/** Reports the secrets that the templates of channels name. */
@Injectable()
export class ChannelTemplateSecretsRepository extends TemplateSecretUses {
  constructor(private readonly database: Database) {
    super();
  }

  protected templates({ projectId }: ProjectScope, db?: Db): Promise<StoredParameters[]> {
    return this.database.rows<StoredParameters>(
      `SELECT json_build_object('channel_id', id, 'channel_name', name) AS owner,
              configuration #> '{template,parameters}' AS parameters
       FROM delivery_channels
       WHERE project_id = $1 AND configuration #> '{template,parameters}' IS NOT NULL ORDER BY created_at, id`,
      [projectId],
      db,
    );
  }
}
