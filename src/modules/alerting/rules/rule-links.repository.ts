import { Injectable } from '@nestjs/common';
import type { ProjectScope } from '../../access/index.js';
import { Database, type Db } from '../../../platform/database/database.js';
import { type Issue, ValidationError } from '../../../platform/http/validation/index.js';
import { AlertDeliveryRequestService } from '../destinations/index.js';
import { DeliveryRequestService } from '../../delivery/deliveries/index.js';

/** The destinations and channels that a rule notifies, in the order in which clients named them. */
export interface RuleLinks {
  readonly destinationIds: readonly string[];
  readonly channelIds: readonly string[];
}

export const RECIPIENTS = ['all_webhooks', 'linked', 'nobody'] as const;
export type Recipients = (typeof RECIPIENTS)[number];

/**
 * Returns who is notified by a rule. A rule whose linked destinations and channels were all deleted notifies nobody. It
 * does not fall back to all webhooks of the project.
 */
export function recipientsOf(isLinked: boolean, { destinationIds, channelIds }: RuleLinks): Recipients {
  if (destinationIds.length + channelIds.length > 0) return 'linked';
  return isLinked ? 'nobody' : 'all_webhooks';
}

type Tenant = Pick<ProjectScope, 'projectId'>;

const LINKS = [
  { key: 'destinationIds', table: 'alert_rule_destinations', column: 'destination_id' },
  { key: 'channelIds', table: 'alert_rule_channels', column: 'channel_id' },
] as const;
const NONE: RuleLinks = { destinationIds: [], channelIds: [] };

@Injectable()
export class RuleLinksRepository {
  constructor(
    private readonly database: Database,
    private readonly destinations: AlertDeliveryRequestService,
    private readonly channels: DeliveryRequestService,
  ) {}

  /** @throws ValidationError for ids that do not belong to the project, whether or not they exist in another one */
  async check(scope: ProjectScope, links: RuleLinks, tx: Db): Promise<void> {
    const { destinationIds, channelIds } = links;
    const issues = [
      ...strangers('destination_ids', destinationIds, await this.destinations.unknown(scope, destinationIds, tx)),
      ...strangers('channel_ids', channelIds, await this.channels.unknown(scope, channelIds, tx)),
    ];
    if (issues.length > 0) throw new ValidationError(issues);
  }

  /**
   * Replaces the links of a rule. A rule with links notifies only these, even after all linked destinations were
   * deleted, until its lists are replaced by empty ones.
   */
  async replace({ projectId }: Tenant, ruleId: string, links: RuleLinks, tx: Db): Promise<void> {
    const { destinationIds, channelIds } = links;
    await this.database.execute(
      'UPDATE alert_rules SET is_linked = $3 WHERE project_id = $1 AND id = $2',
      [projectId, ruleId, destinationIds.length + channelIds.length > 0],
      tx,
    );
    for (const { key, table, column } of LINKS) {
      await this.database.execute(
        `DELETE FROM ${table} l USING alert_rules r
         WHERE r.project_id = $1 AND r.id = $2 AND l.rule_id = r.id`,
        [projectId, ruleId],
        tx,
      );
      if (links[key].length === 0) continue;
      await this.database.execute(
        `INSERT INTO ${table} (rule_id, ${column}, place)
         SELECT r.id, given.id, given.place
         FROM alert_rules r, unnest($3::uuid[]) WITH ORDINALITY AS given (id, place)
         WHERE r.project_id = $1 AND r.id = $2`,
        [projectId, ruleId, links[key]],
        tx,
      );
    }
  }

  async of({ projectId }: Tenant, ruleIds: readonly string[], db?: Db): Promise<(ruleId: string) => RuleLinks> {
    const rows = await this.database.rows<{ rule_id: string; destinations: string[]; channels: string[] }>(
      `SELECT r.id AS rule_id,
              ARRAY(SELECT destination_id FROM alert_rule_destinations d WHERE d.rule_id = r.id ORDER BY place) AS destinations,
              ARRAY(SELECT channel_id FROM alert_rule_channels c WHERE c.rule_id = r.id ORDER BY place) AS channels
       FROM alert_rules r WHERE r.project_id = $1 AND r.id = ANY ($2::uuid[])`,
      [projectId, ruleIds],
      db,
    );
    const links = new Map(
      rows.map((row) => [row.rule_id, { destinationIds: row.destinations, channelIds: row.channels }]),
    );
    return (ruleId) => links.get(ruleId) ?? NONE;
  }
}

function strangers(name: string, ids: readonly string[], unknown: readonly string[]): Issue[] {
  return ids.flatMap((id, index) =>
    unknown.includes(id)
      ? [
          {
            type: 'value_error',
            loc: ['body', name, index],
            msg: 'Value error, the project has none of this id',
            input: id,
            ctx: { error: {} },
          },
        ]
      : [],
  );
}
