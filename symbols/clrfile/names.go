package clrfile

import "slices"

// Method returns the name of the type that declares a method, as the runtime
// writes it ("Ns.Outer`1+Inner"), and the name of the method. token is that of a
// MethodDef. It returns false if there is no such method.
func (im *Image) Method(token uint32) (typ, name string, ok bool) {
	row := token & 0xFFFFFF
	if token>>24 != tableMethodDef || row == 0 || row > im.meta.rows[tableMethodDef] {
		return "", "", false
	}
	if im.owners == nil {
		im.owners = make([]uint32, im.meta.rows[tableTypeDef])
		for i := range im.owners {
			im.owners[i] = im.meta.cell(tableTypeDef, uint32(i+1), 5)
		}
	}
	// The first method of a type without methods is that of the next type: take the last of them.
	owner, _ := slices.BinarySearch(im.owners, row+1)
	return im.typeName(tableTypeDef, uint32(owner)), im.meta.string(im.meta.cell(tableMethodDef, row, 3)), true
}

// maxNesting is the depth of nested types that are followed.
const maxNesting = 32

// typeName returns the name of a TypeDef or TypeRef.
func (im *Image) typeName(table uint8, row uint32) string {
	m, name := im.meta, ""
	for range maxNesting {
		if row == 0 || row > m.rows[table] {
			break
		}
		own := im.ownName(table, row)
		if name != "" {
			own += "+" + name
		}
		name = own
		if table, row = im.outer(table, row); row == 0 || len(name) > longestText {
			break
		}
	}
	return name
}

// ownName returns the name of a TypeDef or TypeRef with its namespace.
func (im *Image) ownName(table uint8, row uint32) string {
	name := im.meta.string(im.meta.cell(table, row, 1))
	if space := im.meta.string(im.meta.cell(table, row, 2)); space != "" {
		return space + "." + name
	}
	return name
}

// outer returns the type that a type is nested in, row 0 for none.
func (im *Image) outer(table uint8, row uint32) (uint8, uint32) {
	m := im.meta
	if table == tableTypeRef {
		scope, at := decoded(colResolutionScope, m.cell(tableTypeRef, row, 0))
		if scope == tableTypeRef {
			return scope, at
		}
		return scope, 0
	}
	if im.enclosing == nil {
		im.enclosing = make(map[uint32]uint32, m.rows[tableNestedClass])
		for i := range m.rows[tableNestedClass] {
			im.enclosing[m.cell(tableNestedClass, i+1, 0)] = m.cell(tableNestedClass, i+1, 1)
		}
	}
	return tableTypeDef, im.enclosing[row]
}

// MethodCount returns the number of methods that the image declares.
func (im *Image) MethodCount() int { return int(im.meta.rows[tableMethodDef]) }
