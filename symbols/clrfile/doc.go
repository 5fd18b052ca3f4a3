// Package clrfile reads what names and source lines need of the files of .NET
// modules: assemblies (PE images with the metadata of ECMA-335), their
// ready-to-run code, and portable PDBs.
//
//	image, err := clrfile.ReadImage(data)
//	...
//	pdb, err := clrfile.ReadPDB(pdbData)
//	for _, p := range pdb.Points(token) { ... }
//
// The sources of the formats: ECMA-335 partition II (metadata), the
// specification "Portable PDB v1.0" and "ReadyToRun File Format" of
// dotnet/runtime.
//
// # Untrusted input
//
// Files may be malformed or malicious. Every offset and count is checked, a
// count in the file never sizes memory by itself, and what a lookup allocates is
// bounded by the size of the file. A value that the file cannot have is missing
// in the result or an error, never a panic.
package clrfile
