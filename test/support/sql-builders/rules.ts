import { sql } from './sql.js';

/** Creates many disabled alert rules. Over HTTP each is a request. */
export async function fillAlertRules(projectId: string, count: number): Promise<void> {
  await sql(
    `INSERT INTO alert_rules (id, project_id, name, is_enabled, severity, kind, condition, group_by, for_seconds,
                              keep_firing_seconds, cooldown_seconds)
     SELECT gen_random_uuid(), $1, 'Rule ' || n, false, 'info', 'match', '{"kind": "match"}', '{}', 0, 0, 0
     FROM generate_series(1, $2::int) n`,
    [projectId, count],
  );
}

/** Whether the events of a project are queued for its rules. No route shows it. */
export async function areEventsQueued(projectId: string): Promise<boolean> {
  return (await sql('SELECT 1 FROM event_watches WHERE project_id = $1', [projectId])).length > 0;
}

/** Everything that is stored of the alert rules of a project. Routes leave columns out, and show no links of deleted rules. */
export async function storedAlertRules(projectId: string): Promise<unknown[]> {
  const ofRules = (table: 'alert_rule_destinations' | 'alert_rule_channels' | 'alert_rule_series') =>
    sql(`SELECT t.* FROM ${table} t JOIN alert_rules r ON r.id = t.rule_id WHERE r.project_id = $1 ORDER BY t::text`, [
      projectId,
    ]);
  return Promise.all([
    sql('SELECT * FROM alert_rules WHERE project_id = $1 ORDER BY id', [projectId]),
    ofRules('alert_rule_destinations'),
    ofRules('alert_rule_channels'),
    ofRules('alert_rule_series'),
    sql('SELECT * FROM event_watches WHERE project_id = $1', [projectId]),
  ]);
}
