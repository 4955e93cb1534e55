/** Why a member may, or may not, do something with a unit. The address has the member. */
import { Button, Group, Stack, Text as Paragraph, Title } from '@mantine/core';
import { keepPreviousData, skipToken, useQuery } from '@tanstack/react-query';
import { Link, useParams } from 'react-router';
import { explainAccess, type Decision, type Explanation } from '../api/access.js';
import { ApiError } from '../api/errors.js';
import { getUnit } from '../api/units.js';
import { labelField, nameOf } from '../data/unit-names.js';
import { useStruct } from '../data/use-kinds.js';
import { useText } from '../i18n/text.js';
import { useModel } from '../model/use-model.js';
import { Empty, EmptyPage, Waiting } from '../shell/page-states.js';
import { useAddress } from '../shell/use-address.js';
import { AccessFault } from './access-fault.js';
import { memberId, MemberInput, type ChosenMember } from './member-input.js';
import './access.css';

export function WhyPage() {
  const text = useText();
  const { kind = '', id = '' } = useParams();
  const [parameters, setAddress] = useAddress();
  const chosen: ChosenMember = { kind: parameters.get('as') ?? '', id: parameters.get('member') ?? '' };
  const member = memberId(chosen);
  const unit = useQuery({
    queryKey: ['unit', kind, id],
    queryFn: ({ signal }) => getUnit(kind, id, signal),
    retry: false,
  });
  const { data: fields } = useStruct(kind);
  const explained = useQuery({
    queryKey: ['why', kind, id, member],
    queryFn: member === undefined ? skipToken : ({ signal }) => explainAccess(kind, id, member, signal),
    retry: false,
    placeholderData: keepPreviousData,
  });
  const error = unit.error ?? explained.error;
  if (error instanceof ApiError && error.status === 404) {
    return (
      <EmptyPage title={text('access.title')}>
        <Empty>{text('unit.gone')}</Empty>
      </EmptyPage>
    );
  }
  const label = unit.data ? nameOf(unit.data, fields ? labelField(fields) : 'id') : id;
  const choose = ({ kind: as, id: next }: ChosenMember): void => setAddress({ as, member: next }, { replace: true });
  return (
    <div className="page access">
      <Group justify="space-between">
        <Title order={1} size="h3" className="access-names">
          {text('access.why', { name: label })}
        </Title>
        <Button component={Link} size="xs" variant="default" to={`/data/${kind}/unit/${encodeURIComponent(id)}`}>
          {text('access.to_unit')}
        </Button>
      </Group>
      {error ? (
        <AccessFault error={error} onRetry={() => void (unit.error ? unit.refetch() : explained.refetch())} />
      ) : (
        <Stack>
          <Paragraph size="sm">{text('access.why_help')}</Paragraph>
          <MemberInput value={chosen} onChange={choose} />
          {member === undefined && <Paragraph size="sm">{text('access.pick_member')}</Paragraph>}
          {member !== undefined && !explained.data && <Waiting />}
          {member !== undefined && explained.data && <Reasons kind={kind} explanation={explained.data} />}
        </Stack>
      )}
    </div>
  );
}

function Reasons({ kind, explanation }: { kind: string; explanation: Explanation }) {
  const text = useText();
  const { model } = useModel();
  const { data: fields } = useStruct(kind);
  const { operations, links = {}, parameters } = explanation;
  const ofLinks = Object.entries(links).flatMap(([type, decisions]) =>
    Object.entries(decisions).map(([operation, decision]): Named => {
      const link = model?.linkTypes.get(type)?.label ?? type;
      return { name: text(`access.link_${operation as 'create'}`, { link }), decision };
    }),
  );
  const ofUnit = Object.entries(operations).map(([operation, decision]): Named => {
    return { name: text(`operation.${operation as 'read'}`), decision };
  });
  const named = (ids: readonly string[]): string =>
    ids.map((id) => fields?.find((field) => field.id === id)?.label ?? id).join(', ') || text('access.no_fields');
  return (
    <>
      <div className="access-scroll">
        <table className="access-table">
          <thead>
            <tr>
              <th scope="col">{text('access.operation')}</th>
              <th scope="col">{text('access.allowed')}</th>
              <th scope="col">{text('access.reason')}</th>
            </tr>
          </thead>
          <tbody>
            {[...ofUnit, ...ofLinks].map((each) => (
              <Reason key={each.name} {...each} />
            ))}
          </tbody>
        </table>
      </div>
      <Paragraph size="sm" className="access-names">
        {text('access.may_read', { fields: named(parameters.read) })}
      </Paragraph>
      <Paragraph size="sm" className="access-names">
        {text('access.may_write', { fields: named(parameters.write) })}
      </Paragraph>
    </>
  );
}

interface Named {
  readonly name: string;
  readonly decision: Decision;
}

function Reason({ name, decision: { allowed, rules, because } }: Named) {
  const text = useText();
  const answer = allowed === null ? 'depends' : allowed ? 'yes' : 'no';
  const stateOf = (holds: boolean | null) => (holds === null ? 'rule_depends' : holds ? 'rule_holds' : 'rule_fails');
  return (
    <tr>
      <th scope="row">{name}</th>
      <td>
        <span aria-hidden>{SIGNS[answer]}</span> {text(`access.${answer}`)}
      </td>
      <td className="access-reason">
        {text('access.because', { because })}
        {rules.map(({ rule, holds }) => (
          <small key={rule}>
            <code>{rule}</code> {text(`access.${stateOf(holds)}`)}
          </small>
        ))}
      </td>
    </tr>
  );
}

const SIGNS = { yes: '✓', no: '✗', depends: '?' } as const;
