import { Badge, Group, Stack, Table, Text, Tooltip } from '@mantine/core';
import type { Schemas } from '@operational-events/client';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { alertRule, alertRules } from '../../../api/alerting.js';
import { api } from '../../../api/client.js';
import { OPERATORS, useRefusal } from '../../../api/roles.js';
import { Icon } from '../../../parts/icons.js';
import { LinkAnchor, LinkButton } from '../../../parts/links.js';
import { Listed } from '../../../parts/listed.js';
import { PageHead } from '../../../parts/page-head.js';
import { Cell, Empty, Rows } from '../../../parts/rows.js';
import { StateBadge } from '../../../parts/state-badge.js';
import { Switched } from '../../../parts/switched.js';
import { useCurrentProject } from '../../../shell/current-project.js';
import { conditionInWords } from './draft.js';

type Rule = Schemas['AlertRuleResponse'];

const NOTIFIES: Readonly<Record<Schemas['AlertRuleRecipients'], string>> = {
  all_webhooks: 'Every webhook',
  linked: 'Chosen endpoints',
  nobody: 'Nobody',
};

export function RulesPage() {
  const { organization, project } = useCurrentProject();
  const { data, error } = useQuery(alertRules(project.id));
  const refusal = useRefusal(project.id, OPERATORS);
  const params = { organization: organization.slug, project: project.slug, rule: 'new' };
  const make = (
    <LinkButton
      to="/o/$organization/p/$project/alert-rules/$rule"
      params={params}
      leftSection={<Icon name="plus" size={16} />}
    >
      New rule
    </LinkButton>
  );
  return (
    <Stack gap="lg">
      <PageHead
        title="Alert rules"
        guide="alerts#rules"
        about="Conditions on events, and who is notified when they hold."
      >
        {refusal === undefined ? (
          make
        ) : (
          <Text size="sm" c="dimmed">
            {refusal}, to make rules.
          </Text>
        )}
      </PageHead>
      <Listed
        query={{ data, error }}
        empty={
          <Empty
            title="No rule yet"
            about="A rule fires on an event, on a number beyond a threshold, on a sudden change, on missing events, or on a finding of Sentinel. A preview shows when it would have fired before anybody is notified."
          />
        }
      >
        {(items) => (
          <Rows label="Alert rules" columns={['Rule', 'Severity', 'State', 'Notifies', 'On']} minWidth={720}>
            {items.map((rule) => (
              <RuleRow key={rule.id} rule={rule} refusal={refusal} />
            ))}
          </Rows>
        )}
      </Listed>
    </Stack>
  );
}

function RuleRow({ rule, refusal }: { readonly rule: Rule; readonly refusal: string | undefined }) {
  const { organization, project } = useCurrentProject();
  const queries = useQueryClient();
  const toggle = async (is_enabled: boolean) => {
    const changed = await api.updateAlertRule({ path: { rule_id: rule.id }, body: { is_enabled } });
    queries.setQueryData(alertRule(project.id, rule.id).queryKey, changed);
    await queries.invalidateQueries({ queryKey: alertRules(project.id).queryKey, exact: true });
  };
  return (
    <Table.Tr>
      <Cell column="Rule">
        <LinkAnchor
          to="/o/$organization/p/$project/alert-rules/$rule"
          params={{ organization: organization.slug, project: project.slug, rule: rule.id }}
          fw={600}
        >
          {rule.name}
        </LinkAnchor>
        <Text size="sm" c="dimmed" lineClamp={2}>
          {conditionInWords(rule.condition)}
        </Text>
        {rule.last_error !== null && (
          <Text size="sm" c="red" lineClamp={2}>
            {rule.last_error}
          </Text>
        )}
      </Cell>
      <Cell column="Severity">
        <StateBadge state={rule.severity} />
      </Cell>
      <Cell column="State">
        <StateBadge state={rule.state} />
      </Cell>
      <Cell column="Notifies">
        {rule.notifies === 'nobody' ? (
          <Tooltip label="All its endpoints are deleted">
            <Badge color="red" variant="light" tt="none">
              Nobody
            </Badge>
          </Tooltip>
        ) : (
          <Text size="sm">{NOTIFIES[rule.notifies]}</Text>
        )}
      </Cell>
      <Cell column="On">
        <Group>
          <Switched label={`${rule.name} is on`} isOn={rule.is_enabled} refusal={refusal} act={toggle} />
        </Group>
      </Cell>
    </Table.Tr>
  );
}
