/** The same as the graph, as text: each unit with the links that lead from it. */
import { Anchor, Text as Paragraph } from '@mantine/core';
import { Link } from 'react-router';
import { addressOf } from '../data/grid-row.js';
import { useText } from '../i18n/text.js';
import type { Model } from '../model/use-model.js';
import { EditLink } from './edit-link.js';
import { ExpandButton } from './expand-button.js';
import { linkFields, linkValues } from './link-fields.js';
import { RemoveLink } from './remove-link.js';
import type { Walked, WalkedLink } from './walked.js';

interface LinksListProps {
  readonly walked: Walked;
  readonly model: Model | undefined;
  readonly marked: ReadonlySet<string> | undefined;
  readonly isBusy: boolean;
  readonly onExpand: (key: string) => void;
  readonly onChanged: () => void;
}

export function LinksList({ walked, model, marked, isBusy, onExpand, onChanged }: LinksListProps) {
  const text = useText();
  const links = [...walked.links.values()];
  const shownLink = ({ id, type, source, target, record }: WalkedLink) => {
    const [parent, child] = [walked.units.get(source), walked.units.get(target)];
    const name = `${model?.linkTypes.get(type)?.label ?? type} → ${child?.label ?? target}`;
    const fields = linkFields(model, type);
    const values = linkValues(fields, record, text);
    const link = parent && child && { type, parent, child };
    const whole = `${parent?.label ?? source}: ${name}`;
    return (
      <li key={id}>
        {name}
        {values !== '' && <Paragraph span size="sm" c="dimmed">{` (${values})`}</Paragraph>}
        {marked?.has(id) === true && <strong> ({text('graph.on_path')})</strong>}{' '}
        {link && fields.length > 0 && (
          <EditLink link={link} record={record} fields={fields} name={whole} onDone={onChanged} />
        )}
        {link && <RemoveLink link={link} name={whole} onDone={onChanged} />}
      </li>
    );
  };
  return (
    <ul className="graph-list" aria-busy={isBusy}>
      {[...walked.units].map(([key, unit]) => (
        <li key={key}>
          <Anchor component={Link} size="sm" fw={600} to={addressOf(unit.kind, unit.id)}>
            {unit.label}
          </Anchor>{' '}
          <Paragraph span size="sm" c="dimmed">
            {model?.kinds.get(unit.kind)?.label ?? unit.kind}
          </Paragraph>{' '}
          <ExpandButton unit={unit} onExpand={() => onExpand(key)} />
          <ul>{links.filter(({ source }) => source === key).map(shownLink)}</ul>
        </li>
      ))}
    </ul>
  );
}
