import { Alert, Badge, Button, Group, Select, Stack, Text } from '@mantine/core';
import { isRefusal, type Schemas } from '@operational-events/client';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../api/client.js';
import { billingStatus, useOrganizationRefusal } from '../../api/organization.js';
import { Act } from '../../parts/act.js';
import { Failure } from '../../parts/failures.js';
import { Gauge } from '../../parts/gauge.js';
import { PageHead } from '../../parts/page-head.js';
import { NotOffered, Section } from '../../parts/section.js';
import { wordsOf } from '../../parts/words.js';
import { PendingPage } from '../../shell/around-pages.js';
import { useCurrentProject } from '../../shell/current-project.js';

type Status = Schemas['StatusResponse'];

const PLANS: readonly Schemas['PaidPlan'][] = ['pro', 'scale', 'enterprise'];
const BLOCKED: Readonly<Record<Schemas['BillingBlockReason'], string>> = {
  billing_inactive: 'The subscription is not paid for. New events are refused.',
  limit_exceeded: 'The events of the month are used up. New ones are refused until the next month, or a larger plan.',
  request_limit_exceeded: 'The requests of the month are used up. New ones are refused until the next month.',
  blocked: 'The platform has blocked the organization. Its support knows why.',
};

export function BillingPage() {
  const { organization } = useCurrentProject();
  const { data: status, error } = useQuery(billingStatus(organization.id));
  return (
    <Stack gap="lg" maw={760}>
      <PageHead
        title="Billing"
        guide="billing"
        about={`What ${organization.name} uses of its plan, and what it pays.`}
      />
      <Failure error={error} />
      {status === undefined && error === null && <PendingPage />}
      {status !== undefined && (
        <>
          <UsageSection status={status} />
          <PlanSection status={status} />
        </>
      )}
    </Stack>
  );
}

interface Props {
  readonly status: Status;
}

function UsageSection({ status }: Props) {
  return (
    <Section title="This month" about={`Counted in UTC. The count starts again at zero on ${dayOf(status.reset_day)}.`}>
      {status.block_reason !== null && (
        <Alert color="red" variant="light" title="The organization is held">
          {BLOCKED[status.block_reason]}
        </Alert>
      )}
      <Gauge
        label="Events"
        used={status.events_used}
        limit={status.events_limit}
        isNearLimit={status.is_near_limit}
        write={(value) => value.toLocaleString('en')}
      />
    </Section>
  );
}

const DAY = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeZone: 'UTC' });

/** Formats a UTC day as the same day in every time zone. */
function dayOf(date: string): string {
  return DAY.format(new Date(`${date}T00:00:00Z`));
}

/** Returns whether the service has no payment provider, so that nobody can pay. */
function isWithoutProvider(error: unknown): boolean {
  return isRefusal(error) && error.detail === 'Payment provider is not configured';
}

function PlanSection({ status }: Props) {
  const { organization } = useCurrentProject();
  const refusal = useOrganizationRefusal(organization.id);
  const [plan, setPlan] = useState<Schemas['PaidPlan']>('pro');
  const [currency, setCurrency] = useState<Schemas['Currency']>('usd');
  // Both continue at the payment provider, which leads back to this page.
  const pay = useMutation({
    mutationFn: async () => {
      const body = { organization_id: organization.id, plan, ...(plan === 'pro' && { currency }) };
      location.assign((await api.createCheckoutSession({ body })).checkout_url);
    },
  });
  const manage = useMutation({
    mutationFn: async () => {
      const body = { organization_id: organization.id, return_url: location.href };
      location.assign((await api.createPortalSession({ body })).url);
    },
  });
  const error = pay.error ?? manage.error;
  return (
    <Section
      title="Plan"
      about="You pay at the payment provider. This service never receives your card."
      acts={
        <Group gap="xs">
          <Badge size="lg" variant="light" className="state-badge">
            {status.plan}
          </Badge>
          <Badge size="lg" variant="light" className="state-badge" color={status.is_blocked ? 'red' : 'gray'}>
            {wordsOf(status.billing_status)}
          </Badge>
        </Group>
      }
    >
      {isWithoutProvider(error) ? (
        <NotOffered why="Nobody can pay here: no payment provider is set up. The operator of the service can change the plan" />
      ) : (
        <>
          {status.plan === 'free' ? (
            <Group align="flex-end">
              <Select
                label="New plan"
                data={PLANS.map((value) => ({ value, label: wordsOf(value) }))}
                value={plan}
                allowDeselect={false}
                onChange={(value) => value !== null && setPlan(value)}
              />
              {plan === 'pro' && (
                <Select
                  label="Currency"
                  data={[
                    { value: 'usd', label: 'US dollar' },
                    { value: 'eur', label: 'Euro' },
                  ]}
                  value={currency}
                  allowDeselect={false}
                  onChange={(value) => value !== null && setCurrency(value)}
                />
              )}
              <Act refusal={refusal} loading={pay.isPending} onAct={() => pay.mutate()}>
                Go to the payment
              </Act>
            </Group>
          ) : (
            <Text size="sm">
              Change the plan or the payment method, see invoices, or cancel at the payment provider.
            </Text>
          )}
          <Group>
            {refusal === undefined ? (
              <Button variant="default" loading={manage.isPending} onClick={() => manage.mutate()}>
                Manage the subscription
              </Button>
            ) : (
              <Text size="sm" c="dimmed">
                {refusal} to pay and to manage the subscription.
              </Text>
            )}
          </Group>
          <Failure error={error} />
        </>
      )}
    </Section>
  );
}
