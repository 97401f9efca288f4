import { TextInput, type TextInputProps } from '@mantine/core'

interface NumberFieldProps extends Omit<TextInputProps, 'value' | 'onChange'> {
  /** Empty while somebody types. */
  value?: number | ''
  onChange?: (value: number | '') => void
}

/** The browser's own, which costs a page nothing; what is out of bounds the server says. */
export const NumberField = ({ value = '', onChange, ...rest }: NumberFieldProps) => (
  <TextInput
    {...rest}
    type="number"
    inputMode="numeric"
    value={value}
    onChange={({ currentTarget: { value: text, valueAsNumber } }) =>
      onChange?.(text === '' ? '' : valueAsNumber)
    }
  />
)
