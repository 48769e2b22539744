import { Button, Group, Select, Stack, Text, Textarea, Timeline, Title, Tooltip } from '@mantine/core';
import type { Schemas } from '@operational-events/client';
import { useQuery } from '@tanstack/react-query';
import { type RefObject, type SubmitEvent, useState } from 'react';
import { alertEvent, alertRules, alertTimeline } from '../../../api/alerting.js';
import { projectMembers } from '../../../api/owning.js';
import { me } from '../../../api/queries.js';
import { MEMBERS, useRefusal } from '../../../api/roles.js';
import { Act } from '../../../parts/act.js';
import { between, EventsLink } from '../../../parts/events-link.js';
import { Fact, Facts, JsonText } from '../../../parts/facts.js';
import { Failure } from '../../../parts/failures.js';
import { LinkAnchor, LinkButton } from '../../../parts/links.js';
import { Moment } from '../../../parts/moment.js';
import { StateBadge } from '../../../parts/state-badge.js';
import { wordsOf } from '../../../parts/words.js';
import { PendingPage } from '../../../shell/around-pages.js';
import { useCurrentProject } from '../../../shell/current-project.js';
import { Incident, IncidentChart } from './incident.js';
import { RuleGuidance } from './rule-guidance.js';
import { SnoozeMenu } from './snooze-menu.js';
import type { AlertAct, useAlertActs } from './use-alert-acts.js';

type AlertEvent = Schemas['AlertEventResponse'];

interface Props {
  readonly id: string;
  readonly acts: ReturnType<typeof useAlertActs>;
  readonly isSnoozing: boolean;
  readonly onSnoozing: (isSnoozing: boolean) => void;
  readonly assignee: RefObject<HTMLInputElement | null>;
  readonly comment: RefObject<HTMLTextAreaElement | null>;
  readonly silence: RefObject<HTMLAnchorElement | null>;
}

/** One alert event with its history. */
export function AlertDetail(props: Props) {
  const { project } = useCurrentProject();
  const { data, error } = useQuery(alertEvent(project.id, props.id));
  if (data !== undefined) return <Known alert={data} {...props} />;
  return error === null ? <PendingPage /> : <Failure error={error} title="The alert could not be read" />;
}

function Known(props: Props & { readonly alert: AlertEvent }) {
  const { alert, acts, isSnoozing, onSnoozing, assignee, comment, silence } = props;
  const { organization, project } = useCurrentProject();
  const refusal = useRefusal(project.id, MEMBERS);
  const params = { organization: organization.slug, project: project.slug };
  const isResolved = alert.status === 'resolved';
  const { data: rules } = useQuery(alertRules(project.id));
  const rule = rules?.find(({ id }) => id === alert.alert_rule_id);
  const act = (one: AlertAct) => acts.mutate({ alert, act: one });
  return (
    <Stack gap="md">
      <Stack gap={6}>
        <Group gap="xs">
          <StateBadge state={alert.severity} />
          <StateBadge state={alert.status} />
        </Group>
        <Title order={2} size="h4" style={{ overflowWrap: 'anywhere' }}>
          {alert.message}
        </Title>
      </Stack>
      <Group gap="xs">
        {(alert.status === 'open' || alert.status === 'snoozed') && (
          <Act size="xs" refusal={refusal} onAct={() => act({ kind: 'acknowledge' })}>
            Acknowledge
          </Act>
        )}
        {!isResolved && (
          <Act size="xs" variant="default" refusal={refusal} onAct={() => act({ kind: 'resolve' })}>
            Resolve
          </Act>
        )}
        {(alert.status === 'open' || alert.status === 'acknowledged') && (
          <SnoozeMenu
            label="Snooze"
            refusal={refusal}
            opened={isSnoozing}
            onChange={onSnoozing}
            onSnooze={(until) => act({ kind: 'snooze', until })}
          />
        )}
        {isResolved && (
          <Act size="xs" variant="default" refusal={refusal} onAct={() => act({ kind: 'reopen' })}>
            Reopen
          </Act>
        )}
        <LinkButton
          size="xs"
          variant="default"
          to="/o/$organization/p/$project/attempts"
          params={params}
          search={{ alert: alert.id, range: 'all' }}
        >
          Notifications
        </LinkButton>
        {!isResolved && (
          <LinkButton
            size="xs"
            variant="default"
            ref={silence}
            to="/o/$organization/p/$project/silences"
            params={params}
            search={{ fingerprint: alert.fingerprint }}
          >
            Silence
          </LinkButton>
        )}
      </Group>
      <Failure error={acts.error} title="The action failed" />
      {rule !== undefined && <RuleGuidance rule={rule} />}
      <IncidentChart alert={alert} rule={rule} />
      <Facts>
        <Fact name="Rule">
          {alert.alert_rule_id === null ? (
            'Created by a person'
          ) : (
            <LinkAnchor
              to="/o/$organization/p/$project/alert-rules/$rule"
              params={{ ...params, rule: alert.alert_rule_id }}
              size="sm"
            >
              {alert.rule_name ?? 'The rule'}
            </LinkAnchor>
          )}
        </Fact>
        <Fact name="First seen">
          <Moment at={alert.created_at} />
        </Fact>
        <Fact name="Last seen">
          <Moment at={alert.last_occurred_at} />
          {alert.occurrences > 1 && `, ${alert.occurrences} times`}
        </Fact>
        {alert.snoozed_until !== null && (
          <Fact name="Snoozed until">
            <Moment at={alert.snoozed_until} />
          </Fact>
        )}
        {alert.event_type !== null && (
          <Fact name="Event">
            <EventsLink
              search={{
                event: alert.event_type,
                ...between(
                  Date.parse(alert.created_at) / 1_000 - 3_600,
                  Date.parse(alert.last_occurred_at) / 1_000 + 60,
                ),
              }}
            >
              {alert.event_type}
            </EventsLink>
            {alert.source !== null && ` from ${alert.source}`}
          </Fact>
        )}
        {Object.entries(alert.group_values).map(([name, value]) => (
          <Fact key={name} name={name.includes('.') ? name : wordsOf(name)}>
            {value === null ? '–' : String(value)}
          </Fact>
        ))}
        <Fact name="Assigned to">
          <Assignee
            alert={alert}
            refusal={refusal}
            input={assignee}
            onAssign={(userId) => act({ kind: 'assign', userId })}
          />
        </Fact>
      </Facts>
      <Incident alert={alert} rule={rule} />
      {Object.keys(alert.payload).length > 0 && <JsonText name="Payload" value={alert.payload} />}
      <History alert={alert} />
      {refusal !== undefined ? (
        <Text size="sm" c="dimmed">
          {refusal}, to comment.
        </Text>
      ) : (
        <Comment
          key={alert.id}
          input={comment}
          isSending={acts.isPending}
          onSend={(body, onDone) => acts.mutate({ alert, act: { kind: 'comment', body } }, { onSuccess: onDone })}
        />
      )}
    </Stack>
  );
}

interface AssigneeProps {
  readonly alert: AlertEvent;
  readonly refusal: string | undefined;
  readonly input: RefObject<HTMLInputElement | null>;
  readonly onAssign: (userId: string | null) => void;
}

/** Returns the members of the project as options of a select. */
export function useAssignees(): { readonly value: string; readonly label: string }[] {
  const { project } = useCurrentProject();
  const { data: person } = useQuery(me);
  const { data: members } = useQuery(projectMembers(project.id));
  return (members ?? []).map(({ user_id, role, display_name }) => ({
    value: user_id,
    label: user_id === person?.id ? `Me (${person.email})` : display_name || `${role}, ${user_id.slice(-6)}`,
  }));
}

function Assignee({ alert, refusal, input, onAssign }: AssigneeProps) {
  const options = useAssignees();
  return (
    <Tooltip label={refusal} disabled={refusal === undefined} events={{ hover: true, focus: true, touch: true }}>
      <Select
        ref={input}
        size="xs"
        aria-label="Assigned to"
        placeholder="Nobody"
        data={options}
        searchable
        clearable={refusal === undefined}
        clearButtonProps={{ 'aria-label': 'Assign to nobody' }}
        readOnly={refusal !== undefined}
        aria-disabled={refusal !== undefined}
        value={alert.assignee_id}
        onChange={onAssign}
      />
    </Tooltip>
  );
}

function History({ alert }: { readonly alert: AlertEvent }) {
  const { project } = useCurrentProject();
  const { data, error } = useQuery(alertTimeline(project.id, alert.id));
  return (
    <section aria-label="Timeline">
      <Title order={3} size="h6" mb="xs">
        Timeline
      </Title>
      <Failure error={error} />
      {data !== undefined && (
        <Timeline bulletSize={12} lineWidth={2} active={data.length}>
          {data.map(({ id, type, actor, body, created_at }) => (
            <Timeline.Item
              key={id}
              title={
                <Text size="sm" fw={500}>
                  {WORDS.get(type) ?? wordsOf(type)}
                  {actor !== null && ` by ${actor.display_name ?? 'somebody'}`}
                </Text>
              }
            >
              {body !== null && (
                <Text size="sm" style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>
                  {body}
                </Text>
              )}
              <Text size="xs" c="dimmed">
                <Moment at={created_at} />
              </Text>
            </Timeline.Item>
          ))}
        </Timeline>
      )}
    </section>
  );
}

const WORDS: ReadonlyMap<string, string> = new Map([
  ['opened', 'Opened'],
  ['notified', 'Notified'],
  ['nobody_notified', 'Nobody was notified'],
  ['acknowledged', 'Acknowledged'],
  ['snoozed', 'Snoozed'],
  ['snooze_ended', 'Snooze ended'],
  ['resolved', 'Resolved'],
  ['reopened', 'Reopened'],
  ['assigned', 'Assigned'],
  ['unassigned', 'Assigned to nobody'],
  ['commented', 'Comment'],
]);

interface CommentProps {
  readonly input: RefObject<HTMLTextAreaElement | null>;
  readonly isSending: boolean;
  readonly onSend: (body: string, onDone: () => void) => void;
}

function Comment({ input, isSending, onSend }: CommentProps) {
  const [body, setBody] = useState('');
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    onSend(body.trim(), () => setBody(''));
  };
  return (
    <form onSubmit={submit}>
      <Stack gap="xs" align="flex-start">
        <Textarea
          ref={input}
          w="100%"
          label="Comment"
          autosize
          minRows={2}
          maxRows={8}
          maxLength={5000}
          value={body}
          onChange={(event) => setBody(event.currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) event.currentTarget.form?.requestSubmit();
          }}
        />
        <Button type="submit" size="xs" variant="default" disabled={body.trim() === ''} loading={isSending}>
          Comment
        </Button>
      </Stack>
    </form>
  );
}
