import type { INestApplicationContext } from '@nestjs/common';
import { createInterface } from 'node:readline/promises';
import { BillingAdministrationService } from '../../modules/entitlement/billing/index.js';
import {
  type ListedByOperators,
  OrganizationAdministrationService,
  OrganizationDirectoryReader,
  OrganizationNotDeletable,
  type Plan,
} from '../../modules/tenancy/organizations/index.js';
import { CommandFailed, type OperatorWork } from './operator-context.js';
import { answer, type AnswerForm, printable, record, table } from './output.js';
import { pageLine, type PageOptions, userOf } from './users.js';

export interface DeleteOptions extends AnswerForm {
  /** Delete without asking. */
  readonly yes?: boolean;
  /** Delete although other people than the owner are members. */
  readonly withMembers?: boolean;
}

export function listOrganizations(options: PageOptions): OperatorWork {
  return async (app) => {
    const directory = app.get(OrganizationDirectoryReader);
    const [organizations, total] = await Promise.all([directory.list(options), directory.count()]);
    const { limit, offset } = options;
    const rows = organizations.map((one) => [one.slug, one.id, one.plan, one.billingStatus, one.ownerEmail]);
    const head = ['SLUG', 'ID', 'PLAN', 'BILLING', 'OWNER'];
    const text = [...table(head, rows), pageLine(organizations.length, total, offset)];
    await answer(options, { items: organizations.map(organizationJson), total, limit, offset }, text);
  };
}

export function showOrganization(name: string, form: AnswerForm): OperatorWork {
  return async (app) => {
    const organization = await organizationOf(app, name);
    const tenant = { organizationId: organization.id };
    const members = await app.get(OrganizationAdministrationService).membersOf(tenant);
    const json = organizationJson(organization);
    const people = members.map(({ userId, email, role, createdAt }) => ({
      user_id: userId,
      email,
      role,
      since: createdAt.toISOString(),
    }));
    const rows = people.map(({ email, role, since }) => [email, role, since]);
    await answer(form, { ...json, members: people }, [
      ...record(json),
      '',
      ...table(['MEMBER', 'ROLE', 'SINCE'], rows),
    ]);
  };
}

export function transferOrganization(name: string, address: string, form: AnswerForm): OperatorWork {
  return async (app) => {
    const organization = await organizationOf(app, name);
    const user = await userOf(app, address);
    const { id, slug, ownerId, ownerEmail } = organization;
    await app.get(OrganizationAdministrationService).transfer({ organizationId: id }, user.id);
    await answer(form, { id, slug, owner_id: user.id, former_owner_id: ownerId }, [
      `${user.email} owns ${slug} now. ${ownerEmail} is an admin.`,
    ]);
  };
}

export function deleteOrganization(name: string, options: DeleteOptions): OperatorWork {
  return async (app) => {
    const organization = await organizationOf(app, name);
    const { id, slug, projects, members } = organization;
    if (options.yes !== true) await confirmDeletion(organization);
    const withMembers = options.withMembers === true;
    try {
      await app.get(OrganizationAdministrationService).delete({ organizationId: id }, { withMembers });
    } catch (error) {
      if (!(error instanceof OrganizationNotDeletable)) throw error;
      const hint = error.reasons.includes('other members') ? ' Add --with-members to end their memberships.' : '';
      throw new CommandFailed(`${error.message}.${hint}`);
    }
    await answer(options, { id, slug, deleted: true, projects, members }, [
      `Deleted ${slug} with ${projects} projects. Their events and objects are removed in the background.`,
    ]);
  };
}

export function setPlan(name: string, plan: Plan, form: AnswerForm): OperatorWork {
  return async (app) => {
    const { id, slug, plan: former } = await organizationOf(app, name);
    const changed = await app.get(BillingAdministrationService).change(null, id, { plan });
    await answer(form, { ...changed, former_plan: former }, [`${slug} has the plan ${plan} now, after ${former}.`]);
  };
}

async function organizationOf(app: Pick<INestApplicationContext, 'get'>, name: string): Promise<ListedByOperators> {
  const organization = await app.get(OrganizationDirectoryReader).find(name);
  if (organization === null) throw new CommandFailed(`No organization has the id or slug ${name}.`);
  return organization;
}

/** Asks the operator to type the slug. The question goes to standard error, because standard output is for results. */
async function confirmDeletion({ slug, name, projects, members }: ListedByOperators): Promise<void> {
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    const typed = await terminal.question(
      `This deletes ${printable(name)} with ${projects} projects, all their events, and ${members} memberships.\nType ${slug} to go on: `,
    );
    if (typed.trim() !== slug) throw new CommandFailed('Nothing was deleted.');
  } finally {
    terminal.close();
  }
}

function organizationJson(organization: ListedByOperators): Record<string, string | number | null> {
  return {
    id: organization.id,
    slug: organization.slug,
    name: organization.name,
    plan: organization.plan,
    billing_status: organization.billingStatus,
    events_per_month_limit: organization.eventsPerMonthLimit,
    owner_id: organization.ownerId,
    owner_email: organization.ownerEmail,
    member_count: organization.members,
    project_count: organization.projects,
    created_at: organization.createdAt.toISOString(),
  };
}
