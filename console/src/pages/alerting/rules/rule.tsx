import {
  Alert,
  Button,
  Card,
  Checkbox,
  Grid,
  Group,
  MultiSelect,
  Select,
  SimpleGrid,
  Stack,
  TagsInput,
  Text,
  Textarea,
  TextInput,
} from '@mantine/core';
import type { Schemas } from '@operational-events/client';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { type SubmitEvent, useMemo, useState } from 'react';
import { alertRule, alertRules } from '../../../api/alerting.js';
import { api } from '../../../api/client.js';
import { channels, destinations } from '../../../api/delivery.js';
import { OPERATORS, useRefusal } from '../../../api/roles.js';
import { Act } from '../../../parts/act.js';
import { Confirmation, Dialog } from '../../../parts/dialog.js';
import { DurationSelect } from '../../../parts/durations.js';
import { Failure } from '../../../parts/failures.js';
import { LinkAnchor } from '../../../parts/links.js';
import { Moment } from '../../../parts/moment.js';
import { PageHead } from '../../../parts/page-head.js';
import { StateBadge } from '../../../parts/state-badge.js';
import { Switched } from '../../../parts/switched.js';
import { UnsavedChanges } from '../../../parts/unsaved-changes.js';
import { SEVERITIES } from '../../../routes/alerting.js';
import { PendingPage } from '../../../shell/around-pages.js';
import { useCurrentProject } from '../../../shell/current-project.js';
import { endpointsOf } from '../../delivery/endpoints/endpoint.js';
import { Misspelt } from '../filters/filter.js';
import { ConditionForm } from './condition-form.js';
import { draftOfRule, NEW_RULE, requestOf, type RuleDraft } from './draft.js';
import { ruleInAddress } from './from-question.js';
import { Preview } from './preview.js';

type Rule = Schemas['AlertRuleResponse'];

const route = getRouteApi('/signed-in/o/$organization/p/$project/alert-rules/$rule');
const HOLDS_S = [0, 60, 300, 900, 3_600];
const COOLDOWNS_S = [0, 60, 300, 900, 3_600, 86_400];

/** Edits the rule with the id in the address, or a new one. */
export function RulePage() {
  const { project } = useCurrentProject();
  const { rule: id } = route.useParams();
  return id === 'new' ? <Editor key="new" rule={null} /> : <Stored key={id} projectId={project.id} id={id} />;
}

function Stored({ projectId, id }: { readonly projectId: string; readonly id: string }) {
  const { data, error } = useQuery(alertRule(projectId, id));
  if (data !== undefined) return <Editor rule={data} />;
  return error === null ? <PendingPage /> : <Failure error={error} title="The rule could not be read" />;
}

/** Returns whether two drafts are equal. */
function isSame(one: RuleDraft, other: RuleDraft | null): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

function Editor({ rule }: { readonly rule: Rule | null }) {
  const { organization, project } = useCurrentProject();
  const { past, question } = route.useSearch();
  const navigate = route.useNavigate();
  const queries = useQueryClient();
  const refusal = useRefusal(project.id, OPERATORS);
  const stored = useMemo(() => (rule === null ? null : draftOfRule(rule)), [rule]);
  const [begun] = useState(() => ruleInAddress(question));
  const initial = stored ?? (rule === null ? begun : { ...NEW_RULE, name: rule.name, severity: rule.severity });
  const [draft, setDraft] = useState(initial);
  const [isOn, setIsOn] = useState(true);
  const [isDeleting, setIsDeleting] = useState(false);
  const params = { organization: organization.slug, project: project.slug };
  const set = (change: Partial<RuleDraft>) => setDraft((before) => ({ ...before, ...change }));
  const known = (saved: Rule) => {
    queries.setQueryData(alertRule(project.id, saved.id).queryKey, saved);
    return queries.invalidateQueries({ queryKey: alertRules(project.id).queryKey, exact: true });
  };
  const saving = useMutation({
    mutationFn: async () => {
      const body = requestOf(draft);
      return rule === null
        ? api.createAlertRule({ body: { ...body, project_id: project.id, is_enabled: isOn } })
        : api.updateAlertRule({ path: { rule_id: rule.id }, body });
    },
    onSuccess: async (saved) => {
      await known(saved);
      setDraft((before) => draftOfRule(saved) ?? before);
      if (rule === null)
        await navigate({
          to: '/o/$organization/p/$project/alert-rules/$rule',
          params: { ...params, rule: saved.id },
          replace: true,
          ignoreBlocker: true,
        });
    },
  });
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    if (refusal === undefined) saving.mutate();
  };
  const isChanged = rule !== null && !isSame(draft, stored);
  const toggle = async (enabled: boolean) => {
    if (rule !== null)
      await known(await api.updateAlertRule({ path: { rule_id: rule.id }, body: { is_enabled: enabled } }));
  };
  return (
    <Stack gap="lg">
      <PageHead
        title={rule === null ? 'New rule' : rule.name}
        guide="alerts#kinds"
        about="Its condition, and who is notified."
      >
        {rule !== null && (
          <>
            <StateBadge state={rule.state} />
            <Switched label="Rule is on" isOn={rule.is_enabled} refusal={refusal} act={toggle} />
            <Act variant="subtle" color="red" refusal={refusal} onAct={() => setIsDeleting(true)}>
              Delete
            </Act>
          </>
        )}
      </PageHead>
      {rule !== null && <Troubles rule={rule} isReadable={stored !== null} />}
      <Grid gap="lg">
        <Grid.Col span={{ base: 12, lg: 6 }}>
          <Card withBorder>
            <form onSubmit={submit}>
              <Stack>
                <SimpleGrid cols={{ base: 1, xs: 2 }}>
                  <TextInput
                    label="Name"
                    placeholder="Payments fail"
                    required
                    maxLength={200}
                    value={draft.name}
                    onChange={(event) => set({ name: event.currentTarget.value })}
                  />
                  <Select
                    label="Severity"
                    data={[...SEVERITIES]}
                    allowDeselect={false}
                    value={draft.severity}
                    onChange={(severity) => set({ severity: severity as RuleDraft['severity'] })}
                  />
                </SimpleGrid>
                <ConditionForm draft={draft} set={set} />
                {draft.kind !== 'anomaly' && (
                  <TagsInput
                    label="Group by"
                    description="One alert for each value of these fields, such as properties.country. Without a field, a single alert"
                    placeholder={draft.groupBy.length === 0 ? 'source' : undefined}
                    data={['source', 'environment', 'event', 'log.endpoint']}
                    value={[...draft.groupBy]}
                    onChange={(groupBy) => set({ groupBy })}
                  />
                )}
                <SimpleGrid cols={{ base: 1, xs: 3 }}>
                  <DurationSelect
                    label="Pending for"
                    choices={HOLDS_S}
                    none="Fires at once"
                    value={draft.forSeconds}
                    onChange={(forSeconds) => set({ forSeconds })}
                  />
                  <DurationSelect
                    label="Keep firing for"
                    choices={HOLDS_S}
                    none="Ends at once"
                    value={draft.keepFiringSeconds}
                    onChange={(keepFiringSeconds) => set({ keepFiringSeconds })}
                  />
                  <DurationSelect
                    label="Repeat every"
                    choices={COOLDOWNS_S}
                    none="Each occurrence"
                    value={draft.cooldownSeconds}
                    onChange={(cooldownSeconds) => set({ cooldownSeconds })}
                  />
                </SimpleGrid>
                <Recipients projectId={project.id} draft={draft} set={set} />
                <TextInput
                  label="Runbook"
                  description="The address of the instructions for people who handle its alerts"
                  placeholder="https://wiki.example.com/payments-fail"
                  type="url"
                  maxLength={2048}
                  value={draft.runbookUrl}
                  onChange={(event) => set({ runbookUrl: event.currentTarget.value })}
                />
                <Textarea
                  label="Notes"
                  description="Shown beside each alert of the rule"
                  autosize
                  minRows={2}
                  maxRows={10}
                  maxLength={4000}
                  value={draft.notes}
                  onChange={(event) => set({ notes: event.currentTarget.value })}
                />
                {rule === null && (
                  <Checkbox
                    label="Enabled"
                    description="A disabled rule notifies nobody"
                    checked={isOn}
                    onChange={(event) => setIsOn(event.currentTarget.checked)}
                  />
                )}
                {saving.error instanceof Misspelt ? (
                  <Alert color="red" variant="light" role="alert">
                    {saving.error.message}
                  </Alert>
                ) : (
                  <Failure error={saving.error} title="The rule was not saved" />
                )}
                <Group justify="space-between">
                  <Text size="sm" c="dimmed">
                    {refusal ?? (rule === null ? '' : isChanged ? 'Not saved yet' : 'Saved')}
                  </Text>
                  <Button
                    type="submit"
                    disabled={refusal !== undefined || (rule !== null && !isChanged)}
                    loading={saving.isPending}
                  >
                    {rule === null ? 'Create the rule' : 'Save'}
                  </Button>
                </Group>
              </Stack>
            </form>
          </Card>
        </Grid.Col>
        <Grid.Col span={{ base: 12, lg: 6 }}>
          <Preview
            projectId={project.id}
            draft={draft}
            range={past}
            onRange={(next) => void navigate({ search: { past: next, question }, replace: true })}
            refusal={refusal}
          />
        </Grid.Col>
      </Grid>
      <UnsavedChanges isDirty={refusal === undefined && !isSame(draft, initial)} />
      <Dialog title="Delete the rule" isOpen={isDeleting} onClose={() => setIsDeleting(false)}>
        {rule !== null && (
          <Confirmation
            verb="Delete"
            isDangerous
            act={async () => {
              await api.deleteAlertRule({ path: { rule_id: rule.id } });
              await queries.invalidateQueries({ queryKey: alertRules(project.id).queryKey, exact: true });
              await navigate({ to: '/o/$organization/p/$project/alert-rules', params, ignoreBlocker: true });
            }}
            onClose={() => setIsDeleting(false)}
          >
            <b>{rule.name}</b> no longer fires. Its alerts stay in the list of{' '}
            <LinkAnchor
              to="/o/$organization/p/$project/alerts"
              params={params}
              search={{ rule: rule.id, status: 'all' }}
            >
              alerts
            </LinkAnchor>
            .
          </Confirmation>
        )}
      </Dialog>
    </Stack>
  );
}

function Troubles({ rule, isReadable }: { readonly rule: Rule; readonly isReadable: boolean }) {
  return (
    <>
      {rule.last_error !== null && (
        <Alert
          color="red"
          variant="light"
          title={rule.state === 'failing' ? 'The rule cannot be evaluated' : 'The last evaluation failed'}
        >
          {rule.last_error}
          {rule.last_error_at !== null && (
            <>
              {' '}
              (<Moment at={rule.last_error_at} />)
            </>
          )}
        </Alert>
      )}
      {rule.notifies === 'nobody' && (
        <Alert color="orange" variant="light" title="The rule notifies nobody">
          All its endpoints are deleted. Choose others, or none to notify every webhook of the project.
        </Alert>
      )}
      {!isReadable && (
        <Alert color="orange" variant="light" title="The condition is of an earlier version">
          This version does not accept it. Write it again.
        </Alert>
      )}
    </>
  );
}

interface RecipientsProps {
  readonly projectId: string;
  readonly draft: RuleDraft;
  readonly set: (change: Partial<RuleDraft>) => void;
}

function Recipients({ projectId, draft, set }: RecipientsProps) {
  const { data: known } = useQuery(destinations(projectId));
  const { data: others } = useQuery(channels(projectId));
  const endpoints = endpointsOf(known, others) ?? [];
  const channelIds = new Set([...draft.channelIds, ...(others ?? []).map(({ id }) => id)]);
  const chosen = [...draft.destinationIds, ...draft.channelIds];
  return (
    <MultiSelect
      label="Notify these endpoints"
      placeholder={chosen.length === 0 ? 'Every alert webhook of the project' : undefined}
      nothingFoundMessage="There is none yet"
      data={endpoints.map(({ id, name, type }) => ({ value: id, label: `${name} · ${type}` }))}
      value={chosen}
      onChange={(ids) =>
        set({
          destinationIds: ids.filter((id) => !channelIds.has(id)),
          channelIds: ids.filter((id) => channelIds.has(id)),
        })
      }
    />
  );
}
