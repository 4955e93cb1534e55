/** What buttons are made of: while a button can do nothing, it keeps the focus, and its place in the order of the keyboard. */
import type { ComponentProps, MouseEvent } from 'react';

export function KeptButton({ disabled = false, type = 'button', ...others }: ComponentProps<'button'>) {
  return <button type={type} {...others} {...(disabled && { 'aria-disabled': true, onClick: doNothing })} />;
}

/** A form is not sent either. */
function doNothing(event: MouseEvent): void {
  event.preventDefault();
}
